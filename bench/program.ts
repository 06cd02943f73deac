import { spawn } from 'node:child_process';
import { once } from 'node:events';

const keptCharacters = 10_000;

/** `output` is the text printed until it was ready. `stop` throws if the program had already ended. */
export type Program = {
  output: string;
  signal: (name: NodeJS.Signals) => void;
  ended: Promise<unknown>;
  stop: () => Promise<void>;
};

/** Starts a TypeScript file in a separate process and waits until its output matches `ready`. */
export async function startProgram(
  nodeArguments: string[],
  environment: Record<string, string>,
  ready: RegExp,
  input = '',
): Promise<Program> {
  const child = spawn(process.execPath, nodeArguments, { env: { ...process.env, ...environment } });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const ended = once(child, 'exit').finally(() => process.off('exit', kill));
  let output = '';
  const isReady = new Promise<true>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => {
        output = (output + part).slice(-keptCharacters);
        if (ready.test(output)) resolve(true);
      });
    }
  });
  child.stdin.end(input);
  const endedByItself = () => new Error(`node ${nodeArguments.join(' ')} ended by itself:\n${output}`);
  if ((await Promise.race([isReady, ended])) !== true) throw endedByItself();
  return {
    output,
    signal: (name) => void child.kill(name),
    ended,
    stop: async () => {
      if (!child.kill('SIGTERM')) throw endedByItself();
      await ended;
    },
  };
}
