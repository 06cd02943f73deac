// Sets the color scheme and the width of the navigation before anything is drawn, and keeps a click that comes before the
// page's scripts. A file, because the page's policy allows no inline script.
(() => {
  const stored = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // Without storage, the system decides.
    }
  };
  const root = document.documentElement;
  const scheme = stored('mantine-color-scheme-value');
  const systems = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  root.dataset.mantineColorScheme = scheme === 'light' || scheme === 'dark' ? scheme : systems;

  const isMiddle = matchMedia('(width < 75em)').matches;
  let isRail = isMiddle;
  try {
    isRail =
      JSON.parse(stored('runcost-navigation-collapsed') ?? '{}')[isMiddle ? 'middle' : 'large'] ?? isMiddle;
  } catch {
    // The stored value is not from this program.
  }
  root.toggleAttribute('data-rail', isRail && !matchMedia('(width < 48em)').matches);

  // A page from the server looks ready before it is. `earlyClick.ts` repeats the last click on an inert element.
  const usable = 'button, input, label, summary';
  const keep = ({ target, clientX: x, clientY: y, ctrlKey, metaKey, shiftKey, altKey }) => {
    const isDrawn = !!document.querySelector('#answers')?.textContent;
    if (!isDrawn || ctrlKey || metaKey || shiftKey || altKey) return;
    const isAt = (element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return left <= x && x < right && top <= y && y < bottom;
    };
    // Events never have an inert element as their target.
    const inert = document.querySelectorAll(`.alive[inert] :is(a, ${usable})`);
    const ofFrame = target.closest(`a, ${usable}`);
    // Links of the frame work without scripts, and the frame becomes usable before the page inside it.
    const clicked = ofFrame
      ? early.isAlive(ofFrame) || ofFrame.matches('a')
        ? null
        : ofFrame
      : [...inert].findLast(isAt);
    wait(clicked ?? null);
  };
  const maxWaitMs = 10_000;
  let forgetting;
  const wait = (clicked) => {
    early.target = clicked;
    root.toggleAttribute('data-waiting', !!clicked);
    clearTimeout(forgetting);
    // A later repetition would surprise the reader.
    if (clicked) forgetting = setTimeout(wait, maxWaitMs, null);
  };
  const early = { target: null, isAlive: () => false, keep };
  globalThis.earlyClick = early;
  addEventListener('click', keep, true);
})();
