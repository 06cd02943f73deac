import fastJson from 'fast-json-stringify';

/**
 * Serializes by the response schema. Decimal numbers are already exact JSON, so their schema is opened: as `number`
 * they would become floats. Compiles at first use, because compiling all routes would slow the start.
 */
export function compileSerializer(route: { schema: unknown }): (value: unknown) => string {
  let serialize: ((value: unknown) => string) | undefined;
  return (value) => {
    serialize ??= fastJson(openDecimals(route.schema) as fastJson.Schema);
    return serialize(value);
  };
}

function openDecimals(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(openDecimals);
  if (schema === null || typeof schema !== 'object') return schema;
  if ('format' in schema && schema.format === 'decimal') return {};
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, openDecimals(value)]));
}
