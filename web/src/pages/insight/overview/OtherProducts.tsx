import { Text } from '@mantine/core';
import { productTitles } from '../../../analysis/words.ts';
import { monthName } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { Money, Note } from '../../../ui/text.tsx';
import { useOtherProducts } from './queries.ts';

const maxRows = 5;

/** What the newest bill has beside compute; nothing if that costs nothing. */
export function OtherProducts({ today }: { today: string }) {
  const month = useOtherProducts(today).data;
  if (!month || month.rows.length === 0) return null;
  const more = month.rows.length - maxRows;
  return (
    <Panel
      title="Storage and other products"
      more={{ href: `/bill?month=${month.month}`, label: 'The bill' }}
    >
      <Note>{monthName(month.month)}, as billed. Other figures on this page are of jobs.</Note>
      {month.rows.slice(0, maxRows).map(({ product, repository, net }) => (
        <Text key={`${product} ${repository}`} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {repository || 'No repository'}: <Money amount={net} />, {lowered(productTitles[product])}
        </Text>
      ))}
      {more > 0 && <Note>And {more} more.</Note>}
    </Panel>
  );
}

/** `storage` within a sentence, but `Git LFS` and `AI credits`. */
function lowered(title: string): string {
  return /^(AI|Git) /.test(title) ? title : title.toLowerCase();
}
