import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const Token = Type.Object({
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  expires_at: Type.Union([Type.String(), Type.Null()]),
});
const Group = Type.Object({ id: Type.Integer(), full_path: Type.String() });
const Project = Type.Object({ id: Type.Integer(), path_with_namespace: Type.String() });
const Hook = Type.Object({ id: Type.Integer(), url: Type.String() });

const checks = {
  token: Compile(Token),
  group: Compile(Group),
  groups: Compile(Type.Array(Group)),
  project: Compile(Project),
  projects: Compile(Type.Array(Project)),
  hook: Compile(Hook),
  hooks: Compile(Type.Array(Hook)),
};

export type GitLabHook = Static<typeof Hook>;
type Described = {
  token: Static<typeof Token>;
  group: Static<typeof Group>;
  groups: Static<typeof Group>[];
  project: Static<typeof Project>;
  projects: Static<typeof Project>[];
  hook: GitLabHook;
  hooks: GitLabHook[];
};

/** Follows https://docs.gitlab.com/api/group_webhooks/ and the pages beside it. Null for any other answer. */
export function readAs<Kind extends keyof Described>(kind: Kind, body: unknown): Described[Kind] | null {
  return checks[kind].Check(body) ? (body as Described[Kind]) : null;
}
