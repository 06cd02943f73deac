import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const NewApp = Type.Object({
  id: Type.Integer(),
  html_url: Type.String(),
  pem: Type.String(),
  webhook_secret: Type.Union([Type.String(), Type.Null()]),
  owner: Type.Object({ login: Type.String() }),
});
const newApp = Compile(NewApp);
const installation = Compile(Type.Object({ id: Type.Integer(), app_id: Type.Integer() }));

/** https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest */
export function isNewApp(answer: unknown): answer is Static<typeof NewApp> {
  return newApp.Check(answer);
}

/** https://docs.github.com/en/rest/apps/apps#get-an-installation-for-the-authenticated-app */
export function isInstallation(answer: unknown): boolean {
  return installation.Check(answer);
}
