/** Builds the pages into web/dist, unless they were built from the same files. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { scalar } from './scalar.ts';

const root = import.meta.dirname;
const target = join(root, 'dist');
const stamp = join(target, '.built-from');

function fingerprint(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, '../package-lock.json')));
  const files = globSync(['src/**/*', 'public/**/*', '*.html', '*.ts', 'package.json'], {
    cwd: root,
    withFileTypes: true,
  });
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  for (const path of paths.toSorted()) {
    // Types do not affect the build.
    if (!path.endsWith('.d.ts')) hash.update(path.slice(root.length)).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** Compresses each file once, so that no request waits for it. */
function compress(folder: string): void {
  for (const file of globSync('{*,assets/*}.{js,css,svg}', { cwd: folder })) {
    const bytes = readFileSync(join(folder, file));
    writeFileSync(join(folder, `${file}.gz`), gzipSync(bytes, { level: 9 }));
    writeFileSync(join(folder, `${file}.br`), brotliCompressSync(bytes));
  }
}

const wanted = fingerprint();
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.error('Building the pages (once, and after updates) …');
  // A separate folder, so that a running server sees a complete build or none.
  const draft = join(root, `.dist-${process.pid}`);
  const common = { root, logLevel: 'warn' } as const;
  await build({ ...common, build: { outDir: draft, emptyOutDir: true } });
  // A separate build: two pages in one build would share code in many small files, which compress worse.
  const input = join(root, 'docs.html');
  const docs = {
    manifest: false,
    copyPublicDir: false,
    rolldownOptions: { input, output: { codeSplitting: true } },
  };
  await build({ ...common, plugins: [scalar()], build: { outDir: draft, emptyOutDir: false, ...docs } });
  // The code that renders pages on the server, bundled with its packages, which the server does not have.
  const drawn = { ssr: join(root, 'src/drawPage.tsx'), outDir: join(draft, 'drawn'), copyPublicDir: false };
  await build({
    ...common,
    define: { 'process.env.NODE_ENV': '"production"' },
    ssr: { noExternal: true },
    build: { ...drawn, manifest: false, minify: true },
  });
  // The pages' modules read `location` when they load.
  Object.assign(globalThis, { location: new URL('http://localhost/sign-in') });
  const { drawSignIn } = (await import(pathToFileURL(join(draft, 'drawn/drawPage.js')).href)) as {
    drawSignIn: (nonce: string) => Promise<{ html: string; answers: object }>;
  };
  const { html, answers } = await drawSignIn('__NONCE__');
  writeFileSync(join(draft, 'drawn/signIn.json'), JSON.stringify({ html, answers: JSON.stringify(answers) }));
  compress(draft);
  writeFileSync(join(draft, '.built-from'), wanted);
  rmSync(target, { recursive: true, force: true });
  renameSync(draft, target);
  // The pages' code keeps a channel to other tabs open, which would keep the process alive.
  process.exit();
}
