// Swiping a story of a list: to the right likes it, to the left dislikes it. Moving back before letting go cancels.
"use strict";

const EDGE = 24; // pixels at the sides of the screen, where the system's own gestures begin
const START = 12; // pixels until a movement has a direction
const ENOUGH = 96; // pixels until letting go counts

let swipe = null;

addEventListener("touchstart", (event) => {
  const touch = event.touches[0];
  const story = event.target.closest?.("[data-stop]");
  cancel();
  if (!story || event.touches.length > 1 || touch.clientX < EDGE || touch.clientX > innerWidth - EDGE) return;
  if (event.target.closest("pre, table, input, textarea, select")) return;
  swipe = { story, x: touch.clientX, y: touch.clientY, by: 0, sideways: false };
}, { passive: true });

addEventListener("touchmove", (event) => {
  if (!swipe) return;
  if (event.touches.length > 1) return cancel();
  const [x, y] = [event.touches[0].clientX - swipe.x, event.touches[0].clientY - swipe.y];
  if (!swipe.sideways) {
    if (Math.abs(y) > START && Math.abs(y) * 2 > Math.abs(x)) return cancel(); // scrolling
    if (Math.abs(x) < START) return;
    swipe.sideways = true;
    swipe.story.classList.add("swiped");
  }
  swipe.by = x;
  const kind = x > 0 ? "like" : "dislike";
  swipe.story.dataset.swipe = kind;
  swipe.story.classList.toggle("enough", Math.abs(x) >= ENOUGH);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
    swipe.story.style.transform = `translateX(${Math.max(-ENOUGH, Math.min(ENOUGH, x))}px)`;
  }
}, { passive: true });

addEventListener("touchend", () => {
  if (swipe && Math.abs(swipe.by) >= ENOUGH) {
    const button = swipe.story.querySelector(`button.${swipe.by > 0 ? "like" : "dislike"}:not([aria-pressed="true"])`);
    cancel();
    button?.click();
  } else cancel();
});
addEventListener("touchcancel", cancel);

function cancel() {
  if (!swipe) return;
  swipe.story.classList.remove("swiped", "enough");
  swipe.story.style.transform = "";
  delete swipe.story.dataset.swipe;
  swipe = null;
}
