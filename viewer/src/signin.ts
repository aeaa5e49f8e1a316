// The form that asks for the token, and what a refused token leads back to.

import type { Api } from "./api";
import { part, whenSubmitted } from "./dom";

export class SignIn {
  readonly #token = part<HTMLInputElement>("token");

  constructor(
    private readonly api: Api,
    private readonly tryAgain: () => void,
  ) {
    whenSubmitted(part<HTMLFormElement>("signin-form"), () => {
      this.api.signIn(this.#token.value.trim());
      this.tryAgain();
    });
  }

  get closed(): boolean {
    return part("signin").hidden !== false;
  }

  /** Show the form instead of the viewer. */
  ask(message: string): void {
    this.api.signOut();
    const first = this.closed;
    part("signin").hidden = false;
    part("viewer").hidden = true;
    // Of several requests that are refused together, the first one knows why.
    if (first || message) part("signin-message").textContent = message;
    this.#token.value = "";
    this.#token.focus();
  }

  close(): void {
    part("signin").hidden = true;
    part("viewer").hidden = false;
    this.#token.value = "";
  }

  /** Forget the token and everything that was read with it. */
  signOut(): void {
    this.api.signOut();
    location.reload();
  }
}
