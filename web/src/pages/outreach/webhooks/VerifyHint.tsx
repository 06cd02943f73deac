import { Code } from '@mantine/core';

/** What the secret of a webhook is for. */
export function VerifyHint() {
  return (
    <>
      Your side verifies <Code>webhook-signature</Code> with it, over the raw bytes of the body, so that
      nobody else can post in our name. The libraries of Standard Webhooks do this.
    </>
  );
}
