/** The Node flags of `run.mjs`, which make the program start faster. */
export const nodeFlags = process.execArgv.filter((flag) => flag.startsWith('--preserve'));
