import type { ReactNode } from 'react';

type Fact = readonly [title: string, value: ReactNode];

export function FactTable({ facts }: { facts: readonly (Fact | false | null)[] }) {
  return (
    <table className="facts">
      <tbody>
        {facts.map(
          (fact) =>
            fact && (
              <tr key={fact[0]}>
                <th scope="row" style={{ width: 130 }}>
                  {fact[0]}
                </th>
                <td style={{ overflowWrap: 'anywhere' }}>{fact[1]}</td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  );
}
