/** The page at /docs: Scalar's view of the API, signed in by a link, by the dashboard's cookie, or not at all. */
import './docs.css';
import type { ApiReferenceConfiguration } from '@scalar/fastify-api-reference';
import type { paths } from './api/schema.d.ts';

declare const Scalar: {
  createApiReference: (element: string, configuration: Partial<ApiReferenceConfiguration>) => void;
};

type Session = paths['/api/v1/session']['get']['responses'][200]['content']['application/json']['data'];
type Security = Record<string, string[]>;
type Document = {
  info: object;
  security: Security[];
  components: { securitySchemes: Record<string, object> };
};

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')!.content;
// Scalar adds style elements, and only some of them with the nonce that the page's policy asks for.
const createElement = document.createElement.bind(document) as (...args: unknown[]) => HTMLElement;
document.createElement = ((...args: unknown[]) => {
  const element = createElement(...args);
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
}) as typeof document.createElement;

function loadScalar(): Promise<unknown> {
  const { href } = document.querySelector<HTMLLinkElement>('#scalar')!;
  const script = Object.assign(document.createElement('script'), { src: href });
  return new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', reject);
    document.head.append(script);
  });
}

/** From `/docs#token=…`, which the address drops at once. */
function takeToken(): string | null {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1] ?? null;
  if (token) history.replaceState(null, '', location.pathname);
  return token;
}

async function readSession(token: string | null): Promise<Session | null> {
  const response = await fetch('/api/v1/session', {
    headers: token ? { authorization: `Bearer ${token}` } : {},
  });
  return response.ok ? ((await response.json()) as { data: Session }).data : null;
}

function showSession(session: Session | null, token: string | null): void {
  const line = document.querySelector('#session')!;
  if (session) {
    const { organization, member, role } = session;
    line.textContent = `Signed in as ${member?.email ?? 'a service account'}, ${role} of ${organization.name}. Requests from this page use ${token ? "the link's token" : 'your session'}.`;
    return;
  }
  const link = Object.assign(document.createElement('a'), { href: '/sign-in', textContent: 'Sign in' });
  const reason = token ? "The link's token is not valid. " : 'You are not signed in. ';
  line.replaceChildren(
    reason,
    link,
    ' to the dashboard and come back, or enter a token under Authentication. Every request needs one of them.',
  );
}

/** A browser sends the cookie by itself, so the page offers only the token. */
function withoutCookie(shown: Document): Document {
  const { session: _, ...securitySchemes } = shown.components.securitySchemes;
  return { ...shown, security: [{ token: [] }], components: { ...shown.components, securitySchemes } };
}

const token = takeToken();
const [session, text] = await Promise.all([
  readSession(token),
  fetch('/openapi.json').then((response) => response.text()),
  loadScalar(),
]);
showSession(session, token);

// As the dashboard's switch says, else as the system does.
const scheme = localStorage.getItem('mantine-color-scheme-value');

Scalar.createApiReference('#reference', {
  content: withoutCookie(JSON.parse(text) as Document),
  // The address of this page, which the configured one may differ from.
  servers: [{ url: location.origin }],
  authentication: {
    preferredSecurityScheme: 'token',
    securitySchemes: { token: { token: session && token ? token : '' } },
  },
  persistAuth: false,
  // Nothing from other hosts.
  telemetry: false,
  withDefaultFonts: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  // Our own samples in place of generated ones.
  hiddenClients: true,
  theme: 'none',
  hideDarkModeToggle: true,
  ...(scheme === 'light' || scheme === 'dark' ? { forceDarkModeState: scheme } : {}),
  documentDownloadType: 'none',
});
