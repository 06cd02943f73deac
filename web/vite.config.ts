import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { paintFirst } from './paintFirst.ts';

/** Imports each icon from its own file. A build that reads the index of all 6,000 takes three times as long. */
const singleIcons: Plugin = {
  name: 'single-icons',
  enforce: 'pre',
  transform: {
    filter: { id: /\/web\/src\/.*\.tsx?$/ },
    handler: (code) =>
      code.replaceAll(/^import \{([^}]*)\} from '@tabler\/icons-react';/gm, (_all, names: string) =>
        (names.match(/(?<!type )\bIcon\w+/g) ?? [])
          .map((name) => `import ${name} from '@tabler/icons-react/dist/esm/icons/${name}.mjs';`)
          .join(' '),
      ),
  },
};

/** What forms need, with small parts of Mantine that would else be in the file of its menus, which is large. */
const formParts =
  /\/ui\/(Form|OnSwitch|NoMailServer|SearchField)\.tsx$|\/@mantine\/core\/esm\/core\/|\/(AccordionChevron|OptionalPortal|FocusTrap|RadioIcon)\.mjs$/;

export default defineConfig({
  plugins: [singleIcons, react(), paintFirst()],
  html: { cspNonce: '__NONCE__' },
  build: {
    target: 'es2023',
    // A page from the server needs all styles at once.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Lists what each page loads, for the test that limits its size.
    manifest: true,
    // Else a page loads up to 136 files, mostly of less than 2 kB. The start comes first, also in the order of styles.
    // What the overview needs is next: other pages need most of it too, and people come from there.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'] },
            { name: 'overview', test: /\/insight\/overview\/Overview\.tsx$/ },
            { name: 'forms', test: formParts },
            {
              name: 'menus',
              test: /\/@mantine\/core\/esm\/components\/(Menu|Popover)\/(Menu|Popover)\.mjs$/,
            },
            { name: 'common', minShareCount: 8 },
            { name: 'workflows', test: /\/workflows\/Workflows\.tsx$/ },
            { name: 'alerts', test: /\/alerts\/Alerts\.tsx$/ },
            { name: 'settings', test: /\/src\/Settings\.tsx$/ },
          ],
        },
      },
    },
  },
  // For development: run `npx vite` here, next to a server on port 8080. The API docs are the built ones of that server.
  server: {
    proxy: {
      '/api': 'http://127.0.0.1:8080',
      '^/docs(?:[/?]|$)': 'http://127.0.0.1:8080',
      '/assets': 'http://127.0.0.1:8080',
      '/openapi.json': 'http://127.0.0.1:8080',
    },
  },
});
