import {
  Card,
  Group,
  SimpleGrid,
  type SimpleGridProps,
  Stack,
  Text,
  ThemeIcon,
  Title,
  type TitleProps,
} from '@mantine/core';
import { type Icon, IconChevronLeft } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { RowLink, TextLink } from './text.tsx';

type Props = {
  title: string;
  aside?: ReactNode;
  /** Beside the title, instead of `aside`: where to find more. */
  more?: { href: string; label: string };
  /** For forms, which would leave half of a wide panel empty. */
  isNarrow?: boolean;
  children: ReactNode;
};

export function Panel({
  title,
  more,
  aside = more && <RowLink href={more.href}>{more.label}</RowLink>,
  isNarrow = false,
  children,
}: Props) {
  return (
    <Card withBorder component="section" aria-label={title} p="md" {...(isNarrow && { maw: 720 })}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <SectionTitle>{title}</SectionTitle>
          {aside}
        </Group>
        {children}
      </Stack>
    </Card>
  );
}

export function SectionTitle(props: TitleProps) {
  return <Title order={2} size="h4" {...props} />;
}

type EmptyProps = {
  icon?: Icon;
  /** Left out if the page's title says it. */
  title?: string;
  children?: ReactNode;
};

export function Empty({ icon: Shown, title, children }: EmptyProps) {
  return (
    <Card withBorder p="xl" className="empty">
      <Stack gap="xs" align="center" ta="center">
        {Shown && (
          <ThemeIcon variant="default" size={44} radius="lg" mb={4} aria-hidden>
            <Shown size={22} stroke={1.6} />
          </ThemeIcon>
        )}
        {title !== undefined && <SectionTitle>{title}</SectionTitle>}
        {children && (
          <Text component="div" size="sm" c="dimmed" w="100%" maw={520} style={{ textWrap: 'balance' }}>
            {children}
          </Text>
        )}
      </Stack>
    </Card>
  );
}

type PageTitleProps = {
  title: string;
  /** For the browser's tab and history, if the title contains something that should not be there. */
  tabTitle?: string;
  about?: ReactNode;
  /** The list that contains the page's subject. */
  back?: { href: string; label: string };
  /** Shown beside the title, such as a status. */
  badge?: ReactNode;
  children?: ReactNode;
};

export function PageTitle({ title, tabTitle = title, about, back, badge, children }: PageTitleProps) {
  useEffect(() => {
    document.title = `${tabTitle} · Runcost`;
  }, [tabTitle]);
  return (
    <Group justify="space-between" gap="sm" className="page-title">
      <Stack gap={2} miw={0}>
        {back && (
          <TextLink href={back.href} size="sm" className="back-link">
            <IconChevronLeft size={14} aria-hidden="true" />
            {back.label}
          </TextLink>
        )}
        <Group gap="4px 10px">
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {badge}
        </Group>
        {about && (
          <Text component="div" c="dimmed" size="sm">
            {about}
          </Text>
        )}
      </Stack>
      {children && (
        <Group gap="xs" className="page-actions">
          {children}
        </Group>
      )}
    </Group>
  );
}

type DescribedValue = readonly [title: string, value: ReactNode];

type DescriptionListProps = {
  items: readonly (DescribedValue | false)[];
  className?: string;
  gap?: number;
} & SimpleGridProps;

/** Read-only values with their names. */
export function DescriptionList({ items, className = '', gap = 2, ...grid }: DescriptionListProps) {
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 3 }} spacing="md" m={0} {...grid}>
      {items.map(
        (item) =>
          item && (
            <Stack key={item[0]} gap={gap} className={className}>
              <Text component="dt" size="sm" c="dimmed">
                {item[0]}
              </Text>
              <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
                {item[1]}
              </Text>
            </Stack>
          ),
      )}
    </SimpleGrid>
  );
}
