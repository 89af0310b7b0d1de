// Reports what the user does while they read, if they let the filter learn from it: seconds on an article, originals
// opened, stories gone past by keyboard. Marking all as read says what had been on screen.
"use strict";

(() => {
  const form = document.getElementById("mark");
  if (!form) return;
  const visit = form.elements.nonce.value;
  const article = document.querySelector(".whole") && document.querySelector("[data-marks]")?.dataset.marks;
  const IDLE = 180_000; // milliseconds without a key, a touch or a scroll after which nobody reads
  const LOOKED_AT = 1000; // milliseconds after which a story has been seen
  let seconds = 0;
  let reported = 0;
  let active = Date.now();
  const done = new Set();

  if (article) {
    for (const what of ["keydown", "pointerdown", "pointermove", "scroll", "touchstart", "wheel"]) {
      addEventListener(what, () => { active = Date.now(); }, { passive: true, capture: true });
    }
    setInterval(() => {
      if (document.visibilityState === "visible" && Date.now() - active < IDLE) seconds += 1;
    }, 1000);
  }

  function report() {
    const lines = [...done];
    if (seconds > reported) lines.push(`read ${article} ${seconds}`);
    if (!lines.length) return;
    const body = new URLSearchParams({ token: form.elements.token.value, visit, done: lines.slice(0, 100).join("\n") });
    if (navigator.sendBeacon(form.action.replace(/mark$/, "reading"), body)) {
      reported = seconds;
      done.clear();
    }
  }

  addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") report(); }, true);
  addEventListener("pagehide", report);

  // The publisher's page. Middle clicks open it, too.
  const original = (event) => {
    const link = event.target.closest?.("a[data-out]");
    const id = link && (link.closest("[data-stop]")?.id.replace(/^a-/, "") || article);
    if (id) done.add(`original ${id}`);
  };
  addEventListener("click", original, true);
  addEventListener("auxclick", original, true);

  // A story that had the focus for a while, was not opened, and was left by the key for the next one.
  let focused = null;
  let since = 0;
  addEventListener("focusin", (event) => {
    const stop = event.target.closest("[data-stop]");
    if (stop !== focused) [focused, since] = [stop, Date.now()];
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "j" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!focused?.isConnected || event.target.closest("input, textarea, select, dialog[open]")) return;
    const answered = focused.classList.contains("is-read") || focused.querySelector('[aria-pressed="true"]');
    if (!answered && Date.now() - since >= LOOKED_AT) done.add(`passed ${focused.id.replace(/^a-/, "")}`);
  }, true);

  // What had been on screen when all was marked as read.
  const seen = new Set();
  const timers = new Map();
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      clearTimeout(timers.get(target));
      if (isIntersecting) timers.set(target, setTimeout(() => seen.add(target.id.replace(/^a-/, "")), LOOKED_AT));
    }
  }, { threshold: 0.6 });
  document.querySelectorAll("[data-stop]").forEach((stop) => watcher.observe(stop));
  addEventListener("submit", (event) => {
    if (event.target !== form || !/^(all|above|below):/.test(event.submitter?.value ?? "")) return;
    const field = document.createElement("input");
    [field.type, field.name, field.value] = ["hidden", "on-screen", [...seen].slice(-100).join(" ")];
    form.append(field);
  }, true);
})();
