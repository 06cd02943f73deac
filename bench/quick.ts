/** `--quick` checks that each benchmark works, with little data and one round. Its figures mean nothing. */
export const isQuick = process.argv.includes('--quick');
