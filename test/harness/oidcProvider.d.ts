/** The parts of the package's face that the tests use; it brings no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  type Context = {
    path: string;
    body: Record<string, unknown>;
    oidc: {
      client: { clientId: string };
      session: { accountId: string };
      params?: Record<string, unknown>;
    };
  };
  type Grant = { addOIDCScope: (scope: string) => void; save: () => Promise<string> };

  export default class Provider {
    constructor(issuer: string, configuration: object);
    use(middleware: (context: Context, proceed: () => Promise<void>) => Promise<void>): void;
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
    Grant: new (fields: { clientId: string; accountId: string }) => Grant;
  }
  export type { Context };
}
