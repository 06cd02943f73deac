// Sets the color scheme and the width of the navigation before anything is drawn. A file, because the page's policy allows
// no inline script.
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
})();
