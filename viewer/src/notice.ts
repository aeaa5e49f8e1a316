// What stands in the middle of the stage when there is nothing to see yet: waiting, an error, or the first step.

import { button, make, part } from "./dom";

function show(role: "status" | "alert", ...children: Node[]): void {
  const notice = part("notice");
  notice.setAttribute("role", role);
  notice.replaceChildren(...children);
  notice.hidden = false;
}

export function hideNotice(): void {
  part("notice").hidden = true;
  part("stage").removeAttribute("aria-busy");
}

export function showLoading(): void {
  part("stage").setAttribute("aria-busy", "true");
  show("status", make("p", { class: "loading" }, "Loading memories…"));
}

export function showError(message: string, retry: () => void): void {
  part("stage").removeAttribute("aria-busy");
  show("alert", make("p", {}, message), button("Retry", retry, { class: "primary" }));
}

export function showEmpty(again: () => void): void {
  part("stage").removeAttribute("aria-busy");
  const command = [
    `curl ${location.origin}/memory \\`,
    '  -H "Authorization: Bearer $TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '{"content": "Sarah prefers tea", "tags": ["sarah"]}'`,
  ].join("\n");
  show(
    "status",
    make("h2", {}, "There are no memories yet"),
    make("p", {}, "Store the first one from a terminal, with your token in TOKEN:"),
    make("pre", { tabindex: 0, "aria-label": "Command that stores a memory" }, command),
    button("Look again", again, { class: "primary" }),
  );
}

export function showNothingFits(): void {
  show("status", make("p", {}, "The filters leave no memory to show. Widen them on the left."));
}
