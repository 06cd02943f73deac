import type { Plugin } from 'vite';

/**
 * Starts the scripts of a server-rendered page after the first paint, which they would delay. They are fetched before
 * it but not compiled, unlike with `modulepreload`. It is a separate file, so that the page needs no inline code.
 */
export function paintFirst(): Plugin {
  let href = '';
  return {
    name: 'paint-first',
    apply: 'build',
    generateBundle(_options, bundle) {
      const entry = Object.values(bundle).find(
        (file) => file.type === 'chunk' && file.isEntry && file.name === 'index',
      );
      if (!entry) return;
      const asset = this.emitFile({ type: 'asset', name: 'start.js', source: startOf(`/${entry.fileName}`) });
      href = `/${this.getFileName(asset)}`;
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html, { path }) =>
        path === '/index.html'
          ? html
              .replace(/(<script type="module"[^>]* src=)"[^"]+"/, `$1"${href}"`)
              .replaceAll('rel="modulepreload"', 'rel="preload" as="script" fetchpriority="low"')
          : html,
    },
  };
}

/** A hidden page is never painted, so it starts at once. */
function startOf(entry: string): string {
  return `const start = () => import('${entry}').catch(fail);
const fail = () => {
  const note = Object.assign(document.createElement('p'), { className: 'no-script', role: 'alert' });
  note.textContent = 'The page did not load completely. Reload it to use it.';
  document.body.prepend(note);
  document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/no-script.css' }));
};
const isDrawn = document.querySelector('#answers')?.textContent;
if (isDrawn && document.visibilityState === 'visible') requestAnimationFrame(() => setTimeout(start));
else start();
`;
}
