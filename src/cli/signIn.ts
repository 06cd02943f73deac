import type { Command } from 'commander';
import { createSignInCode, signInLink } from '../tenancy/sessions/signIn.ts';
import { contextFor, orgOption, withApp } from './openApp.ts';
import { printNote } from './output.ts';

const validMinutes = 15;

export function addSignInCommand(program: Command): void {
  program
    .command('sign-in')
    .description('print a link that signs a browser in to the dashboard, once, as an owner')
    .option(...orgOption)
    .action(({ org }: { org?: string }) =>
      withApp('sign-in', async (app) => {
        const ctx = await contextFor(app, org);
        const code = await createSignInCode(ctx, { validSeconds: validMinutes * 60, tokenId: null });
        console.log(signInLink(app.publicUrl(), code));
        printNote(`It works once, within ${validMinutes} minutes, while the server runs (PUBLIC_URL, PORT).`);
      }),
    );
}
