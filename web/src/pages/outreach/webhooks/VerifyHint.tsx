import { Code } from '@mantine/core';

export function VerifyHint() {
  return (
    <>
      Use it to verify <Code>webhook-signature</Code> over the raw bytes of the body. The Standard Webhooks
      libraries do this.
    </>
  );
}
