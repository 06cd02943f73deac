import { Button, Code, Text } from '@mantine/core';
import { useContext } from 'react';
import { Link, useLocation } from 'wouter';
import { Lost } from '../ui/Lost.tsx';
import { Note } from '../ui/text.tsx';
import { decoded } from '../ui/useAddress.ts';
import { OpenSearch } from './OpenSearch.ts';
import { nearPages } from './pageSearch.ts';

export function Page() {
  const [path] = useLocation();
  const openSearch = useContext(OpenSearch);
  const address = decoded(path).slice(0, 200);
  const near = nearPages(address);
  return (
    <Lost
      title="Page not found"
      text={
        <>
          Nothing is at <Code style={{ overflowWrap: 'anywhere' }}>{address}</Code>. The link may be old or
          mistyped.
        </>
      }
      actions={
        <>
          <Button component={Link} href="/" variant={near.length > 0 ? 'default' : 'filled'}>
            Go to the overview
          </Button>
          <Button variant="default" onClick={openSearch}>
            Search
          </Button>
        </>
      }
    >
      {near.length > 0 && (
        <nav aria-label="Similar pages">
          <Text size="sm" fw={600} mb={6}>
            Did you mean?
          </Text>
          <ul className="near-pages">
            {near.map(({ go, label, detail, icon: Shown }) => {
              const href = String(go);
              const inside = (
                <>
                  <Shown size={18} stroke={1.6} aria-hidden />
                  <span>{label}</span>
                  <Note span>{detail === undefined ? href : `${detail} · ${href}`}</Note>
                </>
              );
              return (
                <li key={href}>
                  {href === '/docs' ? <a href={href}>{inside}</a> : <Link href={href}>{inside}</Link>}
                </li>
              );
            })}
          </ul>
        </nav>
      )}
    </Lost>
  );
}
