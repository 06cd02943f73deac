import type { Plugin } from 'vite';

/**
 * Runs the page's scripts after the first paint where the server has drawn the page, because they would delay it. They are
 * fetched before it, but not compiled, as `modulepreload` would. A file of its own, so that the page needs no inline code.
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

/** A hidden page is not painted. */
function startOf(entry: string): string {
  return `const start = () => import('${entry}');
const isDrawn = document.querySelector('#answers')?.textContent;
if (isDrawn && document.visibilityState === 'visible') requestAnimationFrame(() => setTimeout(start));
else start();
`;
}
