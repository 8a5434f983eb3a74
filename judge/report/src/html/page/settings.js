// What the reader has chosen: kept where the browser allows it, else for this page.

/** Reads what was kept under a name; null where there is nothing, or nothing may be kept. */
function kept(name) {
  try {
    return localStorage.getItem(`judge-${name}`);
  } catch {
    return null;
  }
}

function keep(name, value) {
  try {
    localStorage.setItem(`judge-${name}`, value);
  } catch {
    // It holds until the page is left.
  }
}

const settings = { speed: byId("speed"), quiet: byId("quiet") };

if ([...settings.speed.options].some(({ value }) => value === kept("speed"))) settings.speed.value = kept("speed");
settings.quiet.checked = kept("quiet") === "yes";

/** Lists of games say nothing of results, either, where they are to be hidden. */
function applyQuiet() {
  document.documentElement.classList.toggle("quiet", settings.quiet.checked);
}
applyQuiet();

settings.speed.addEventListener("change", () => {
  keep("speed", settings.speed.value);
  if (view.timer) play(true);
});
settings.quiet.addEventListener("change", () => {
  keep("quiet", settings.quiet.checked ? "yes" : "no");
  applyQuiet();
  if (view.game) show(view.t);
});
