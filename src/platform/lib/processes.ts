/** Whether another process has this id. */
export function isRunning(pid: number): boolean {
  // In a container, every start has the same process id.
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
