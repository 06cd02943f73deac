const style = `
:root { color-scheme: light dark; --page: #fdfdfd; --brand: #0b7285; }
@media (prefers-color-scheme: dark) { :root { --page: #121417; --brand: #66d9e8; } }
body { margin: 0; padding: 12vh 20px; background: var(--page); font: 15px/1.5 Inter, system-ui, sans-serif; }
main { max-width: 26rem; margin: auto; overflow-wrap: anywhere; }
h1 { margin: 20px 0 8px; font-size: 1.4rem; line-height: 1.25; }
a { color: var(--brand); }
button { font: inherit; font-weight: 600; padding: 9px 18px; border: 0; border-radius: 7px; background: #0b7285; color: #fff; cursor: pointer; }
`;

// In the page itself, because its path may be below any other.
const logo =
  '<svg width="40" height="40" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0b7285"/><path d="M10 8v16l14.5-8z" fill="#fff" stroke="#fff" stroke-width="3" stroke-linejoin="round"/><path d="M13 4v24M19 4v24" stroke="#0b7285" stroke-width="2"/></svg>';

/** A page without the dashboard's scripts. `content` is markup. */
export function simplePage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${title} · Runcost</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
      ${logo}
      <h1>${title}</h1>
      ${content}
    </main>
  </body>
</html>
`;
}
