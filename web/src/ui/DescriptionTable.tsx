import type { ReactNode } from 'react';

type DescribedValue = readonly [title: string, value: ReactNode];

export function DescriptionTable({ items }: { items: readonly (DescribedValue | false | null)[] }) {
  return (
    <table className="facts">
      <tbody>
        {items.map(
          (item) =>
            item && (
              <tr key={item[0]}>
                <th scope="row" style={{ width: 130 }}>
                  {item[0]}
                </th>
                <td style={{ overflowWrap: 'anywhere' }}>{item[1]}</td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  );
}
