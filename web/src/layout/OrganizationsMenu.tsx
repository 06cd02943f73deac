import { Menu } from '@mantine/core';
import { IconCheck, IconLogin2 } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { addressIn } from '../api/organization.ts';
import type { OwnOrganization } from '../api/session.ts';
import { sentence } from '../ui/figures.ts';
import { areaAt } from './areas.ts';
import { menuProps } from './FrameMenu.tsx';

const iconProps = { size: 16, stroke: 1.6 } as const;

type Props = {
  target: ReactElement;
  organization: { id: string };
  organizations: readonly OwnOrganization[];
  isRail: boolean;
};

export function OrganizationsMenu({ target, organization, organizations, isRail }: Props) {
  const [isOpen, setOpen] = useState(true);
  const [path] = useLocation();
  // What the page shows may not exist elsewhere, but its list does.
  const page = areaAt(path)?.href ?? '/';
  return (
    <Menu opened={isOpen} onChange={setOpen} width={264} {...menuProps(isRail, 'start')}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown aria-label="Organizations" mah="60vh" style={{ overflowY: 'auto' }}>
        {organizations.map((each) => {
          const isCurrent = each.id === organization.id;
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

function needsSignIn({ is_entered: isEntered, single_sign_on_required: isRequired }: OwnOrganization) {
  return isRequired && !isEntered;
}
