import { Text } from '@mantine/core';
import { count } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import type { Reconciliation } from './queries.ts';

export function NotCompared({ products }: { products: Reconciliation['not_compared'] }) {
  if (products.length === 0) return null;
  return (
    <Panel title="Not covered by Runcost">
      <Text size="sm" c="dimmed">
        Storage and other products on the bill. Runcost counts only CI job minutes.
      </Text>
      <WideTable label="Not covered by Runcost" minWidth={640} maxHeight={360}>
        <Columns texts={['Product', 'SKU', 'Unit']} numbers={['Quantity', 'Gross', 'Bill']} kept="Bill" />
        <tbody>
          {products.map(({ product, sku, unit, quantity, gross, net }) => (
            <tr key={`${product} ${sku} ${unit}`}>
              <td>{product}</td>
              <td>{sku}</td>
              <td>{unit.replaceAll('_', ' ')}</td>
              <td className="number">{count(quantity)}</td>
              <td className="number">
                <Money amount={gross} />
              </td>
              <td className={keptNumber}>
                <Money amount={net} />
              </td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </Panel>
  );
}
