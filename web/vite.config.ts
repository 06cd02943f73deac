import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  html: { cspNonce: '__NONCE__' },
  build: {
    target: 'es2023',
    // Beside the page, so that no inline code is needed.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Says what each page loads, for the test that keeps it small.
    manifest: true,
  },
  // For work on the pages: `npx vite` here, beside a server on port 8080.
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/openapi.json': 'http://127.0.0.1:8080' } },
});
