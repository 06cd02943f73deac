import { PublicError, type FieldError } from '../../platform/lib/errors.ts';

/** The provider sent what we cannot record. A path is the field's place in the body: `workflow_job.labels.0`. */
export function invalidPayload(errors: FieldError[]): PublicError {
  const detail = errors.map(({ path, message }) => `${path} ${message}`).join('; ');
  return new PublicError('invalid', 'invalid_payload', `The payload cannot be recorded: ${detail}.`, errors);
}
