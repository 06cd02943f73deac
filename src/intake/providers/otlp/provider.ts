import { unnamedCi } from '../generic/provider.ts';
import type { IntakeProvider } from '../provider.ts';

/** Traces that do not name the CI they are of. */
export const openTelemetry: IntakeProvider = { ...unnamedCi, id: 'otlp', title: 'OpenTelemetry' };
