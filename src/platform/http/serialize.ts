import fastJson from 'fast-json-stringify';

/**
 * Serialises by the route's response schema. Exact decimal numbers arrive ready for JSON, so their schema is left
 * open here: as a `number` they would pass through a binary float. Compiled when first used: a
 * start that compiles those of all routes takes noticeably longer.
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
