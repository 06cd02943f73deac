import type { Role } from '../../ui/rights.tsx';

type GroupRole = { group: string; role: Role };

export function groupRolesText(groups: readonly GroupRole[]): string {
  return groups.map(({ group, role }) => `${group} = ${role}`).join('\n');
}

/**
 * The last `=` of a line separates group and role, because group names can contain one. The server validates the roles.
 */
export function groupRolesIn(text: string): GroupRole[] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '') return [];
    const at = line.lastIndexOf('=');
    const group = (at < 0 ? line : line.slice(0, at)).trim();
    const role =
      at < 0
        ? ''
        : line
            .slice(at + 1)
            .trim()
            .toLowerCase();
    return [{ group, role: role as Role }];
  });
}
