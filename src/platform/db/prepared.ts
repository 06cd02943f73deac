import {
  CamelCasePlugin,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type Dialect,
  type PluginTransformResultArgs,
  type QueryResult,
  type RawBuilder,
  type UnknownRow,
} from 'kysely';

/** Once per result, because all rows have the same names. Names inside JSON columns stay. */
class CamelCase extends CamelCasePlugin {
  override async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const names = Object.keys(result.rows[0] ?? {}).map((name) => [name, this.camelCase(name)] as const);
    const rows = result.rows.map((row) => {
      const renamed: UnknownRow = {};
      for (const [name, ours] of names) renamed[ours] = row[name];
      return renamed;
    });
    return { ...result, rows };
  }
}

export const camelCase = new CamelCase();

/** Compiles statements but has no connections. */
export const unconnected: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};

const compiler = new Kysely<object>({ dialect: unconnected, plugins: [camelCase] });

const names = new Map<string, string>();

/** The name under which connections prepare this statement; undefined if it is sent as text. */
export function nameOf(text: string): string | undefined {
  return names.get(text);
}

/** Each connection prepares it once. It must list its columns: `select *` fails after a migration. */
export function prepared<Values extends unknown[], Row>(
  build: (...values: Values) => RawBuilder<Row>,
): (...values: Values) => CompiledQuery<Row> {
  return builtOnce(build, (text) => names.has(text) || names.set(text, `runcost_${names.size + 1}`));
}

/** Sent as text, for tables with several indexes: a cached plan would use any of them. */
export function plannedEachTime<Values extends unknown[], Row>(
  build: (...values: Values) => RawBuilder<Row>,
): (...values: Values) => CompiledQuery<Row> {
  return builtOnce(build, () => {});
}

function builtOnce<Values extends unknown[], Row>(
  build: (...values: Values) => RawBuilder<Row>,
  onBuilt: (text: string) => void,
): (...values: Values) => CompiledQuery<Row> {
  let built: ReturnType<typeof buildOnce<Row>> | null = null;
  return (...values) => {
    if (!built) {
      built = buildOnce((places) => build(...(places as Values)), values.length);
      onBuilt(built.query.sql);
    }
    const { query, order } = built;
    return { ...query, parameters: order.map((place) => values[place]) };
  };
}

function buildOnce<Row>(build: (places: unknown[]) => RawBuilder<Row>, count: number) {
  const places = Array.from({ length: count }, () => ({}));
  const query = build(places).compile(compiler);
  const order = query.parameters.map((place) => places.indexOf(place as object));
  if (order.includes(-1)) throw new Error(`a prepared statement has a value of its own: ${query.sql}`);
  return { query, order };
}
