// Asking before something is lost.

import { part } from "./dom";

/** Ask a question whose answer is the named action, or no; Escape is no. */
export function confirmed(question: string, action: string): Promise<boolean> {
  const dialog = part<HTMLDialogElement>("confirm");
  const [yes, no] = [part("confirm-yes"), part("confirm-no")];
  part("confirm-text").textContent = question;
  yes.textContent = action;
  dialog.returnValue = "";
  yes.onclick = () => dialog.close("yes");
  no.onclick = () => dialog.close();
  dialog.showModal();
  no.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
