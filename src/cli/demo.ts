import type { Command } from 'commander';
export function addDemoCommand(_: Command): void {}
