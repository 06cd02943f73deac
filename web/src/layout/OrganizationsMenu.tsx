import { Menu } from '@mantine/core';
import { IconCheck, IconLogin2 } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { addressIn } from '../api/organization.ts';
import type { OwnOrganization } from '../api/session.ts';
import { sentence } from '../ui/figures.ts';
import { areaAt } from './areas.ts';
import { needsSignIn, SwitchButton, type SwitchProps } from './Organizations.tsx';

const iconProps = { size: 16, stroke: 1.6 } as const;

export function OrganizationsMenu({
  organizations,
  ...props
}: SwitchProps & { organizations: readonly OwnOrganization[] }) {
  const [isOpen, setOpen] = useState(true);
  const [path] = useLocation();
  // What the page shows may not exist elsewhere, but its list does.
  const page = areaAt(path)?.href ?? '/';
  return (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      position={props.isRail ? 'right-start' : 'bottom-start'}
      width={264}
      shadow="md"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <SwitchButton {...props} />
      </Menu.Target>
      <Menu.Dropdown aria-label="Organizations" mah="60vh" style={{ overflowY: 'auto' }}>
        {organizations.map((each) => {
          const isCurrent = each.id === props.organization.id;
          return (
            <Menu.Item
              key={each.id}
              component={Link}
              href={addressIn(isCurrent ? path : page, each.address_name)}
              {...(isCurrent && { 'aria-current': 'true' as const })}
              rightSection={
                isCurrent ? (
                  <IconCheck {...iconProps} aria-hidden />
                ) : (
                  needsSignIn(each) && <IconLogin2 {...iconProps} aria-label="needs single sign-on" />
                )
              }
            >
              <span className="switch-choice">
                {each.name}
                <small>{sentence(each.role)}</small>
              </span>
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
