import { Button, Group, Menu, Select, Table, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Result } from '../api/client.ts';
import { useMay } from '../api/session.tsx';
import { useAct } from '../parts/act.ts';
import { ActForm } from '../parts/act-form.tsx';
import { Tag, WordTag } from '../parts/badges.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { ConfirmByTyping, Dialog, OnceShown } from '../parts/dialogs.tsx';
import { NameFilter, useFilters } from '../parts/filters.tsx';
import { type Column, List } from '../parts/list.tsx';
import { Moment, useMomentText } from '../parts/moment.tsx';
import { NameField } from '../parts/name-field.tsx';
import { Page } from '../parts/page.tsx';
import { type Role, RoleEditor } from '../parts/role-editor.tsx';
import { SectionHead } from '../parts/section-head.tsx';
import { SingleSignOn } from '../parts/single-sign-on.tsx';
import { Guarded } from '../parts/states.tsx';
import { isTextKey, useT } from '../texts/texts.tsx';

type OperatorRow = Result<'operators', 'list'>['content'][number];
type JoinLink = Result<'operators', 'invite'>;

export function Operators() {
  const t = useT();
  const may = useMay();
  const momentText = useMomentText();
  const { filters } = useFilters<'name'>();
  const [isInviting, setInviting] = useState(false);
  const [link, setLink] = useState<JoinLink>();
  const roleNames = useRoles().data?.roles.map((each) => each.name) ?? [];
  const columns: Column<OperatorRow>[] = [
    { title: t('keys.name'), sort: 'name', show: (row) => <strong>{row.name}</strong>, text: (row) => row.name },
    { title: t('join.email'), show: (row) => row.email ?? '–', text: (row) => row.email },
    { title: t('operators.role'), sort: 'role', show: (row) => row.role, text: (row) => row.role },
    {
      title: t('keys.status'),
      show: (row) =>
        row.lockedUntilDtm ? <Tag tone="bad">{t('operators.locked')}</Tag> : <WordTag word={row.status} />,
      text: (row) => row.status,
    },
    {
      title: t('operators.lastSignIn'),
      sort: 'lastSignInDtm',
      show: (row) => <Moment at={row.lastSignInDtm} />,
      text: (row) => row.lastSignInDtm,
    },
  ];
  return (
    <Guarded group="operators" name="list">
      <Page
        title={t('operators.title')}
        actions={
          may('operators', 'invite') && <Button onClick={() => setInviting(true)}>{t('operators.invite')}</Button>
        }
      >
        <NameFilter />
        <List<OperatorRow>
          group="operators"
          name="list"
          query={{ name: filters.name }}
          label={t('operators.title')}
          columns={columns}
          keyOf={({ id }) => id}
          actionsOf={(row) => <OperatorMenu row={row} onLink={setLink} />}
        />
        {may('operatorRoles', 'list') && <Roles />}
        {may('singleSignOn', 'get') && <SingleSignOn roleNames={roleNames} />}
        <Dialog opened={isInviting} onClose={() => setInviting(false)} title={t('operators.invite')}>
          <Invite
            onInvited={(joinLink) => {
              setInviting(false);
              setLink(joinLink);
            }}
          />
        </Dialog>
        <OnceShown
          title={t('operators.linkTitle')}
          lead={t('operators.linkLead', { time: momentText(link?.expiringDtm) })}
          value={link?.url}
          onClose={() => setLink(undefined)}
        />
      </Page>
    </Guarded>
  );
}

function useRoles() {
  const enabled = useMay()('operatorRoles', 'list');
  return useQuery({ queryKey: ['roles'], queryFn: () => call('operatorRoles', 'list', {}), enabled });
}

/** Built-in roles are described in the operator's language; the tenant describes its own. */
function useRoleDescription() {
  const t = useT();
  return (role: Role | undefined) => {
    const key = `roles.about.${role?.name}`;
    return role?.builtIn && isTextKey(key) ? t(key) : role?.description;
  };
}

function Invite({ onInvited }: { onInvited(link: JoinLink): void }) {
  const t = useT();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<string>('Reviewer');
  const act = useAct(() => call('operators', 'invite', { body: { name, email, role } }), onInvited);
  return (
    <ActForm act={act} submitLabel={t('operators.invite')}>
      <NameField name={name} onName={setName} maxLength={100} />
      <TextInput
        label={t('join.email')}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        required
      />
      <RoleSelect role={role} onRole={setRole} />
    </ActForm>
  );
}

function RoleSelect({ role, onRole }: { role: string; onRole(role: string): void }) {
  const t = useT();
  const { data } = useRoles();
  const roleDescription = useRoleDescription();
  return (
    <Select
      label={t('operators.role')}
      description={roleDescription(data?.roles.find(({ name }) => name === role))}
      data={data?.roles.map(({ name }) => name) ?? [role]}
      value={role}
      onChange={(next) => onRole(next ?? role)}
      allowDeselect={false}
    />
  );
}

function ChangeRole({ row, onDone }: { row: OperatorRow; onDone(): void }) {
  const t = useT();
  const [role, setRole] = useState(row.role);
  const act = useAct(() => call('operators', 'update', { params: { operatorId: row.id }, body: { role } }), onDone);
  return (
    <ActForm act={act} submitLabel={t('app.save')} isDisabled={role === row.role}>
      <Text size="sm">{row.name}</Text>
      <RoleSelect role={role} onRole={setRole} />
    </ActForm>
  );
}

function OperatorMenu({ row, onLink }: { row: OperatorRow; onLink(link: JoinLink): void }) {
  const t = useT();
  const may = useMay();
  const [isRemoving, setRemoving] = useState(false);
  const [isMoving, setMoving] = useState(false);
  const params = { operatorId: row.id };
  type Change = { status?: 'ACTIVE' | 'SUSPENDED'; unlock?: boolean };
  const change = useAct((body: Change) => call('operators', 'update', { params, body }));
  const reset = useAct(() => call('operators', 'reset', { params, body: {} }), onLink);
  const remove = useAct(
    () => call('operators', 'remove', { params }),
    () => setRemoving(false),
  );
  const isSuspended = row.status === 'SUSPENDED';
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="compact-xs" variant="default" aria-label={`${t('app.menu')}: ${row.name}`}>
            ⋯
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {may('operators', 'update') && row.status !== 'INVITED' && (
            <Menu.Item onClick={() => change.mutate({ status: isSuspended ? 'ACTIVE' : 'SUSPENDED' })}>
              {t(isSuspended ? 'operators.activate' : 'operators.suspend')}
            </Menu.Item>
          )}
          {may('operators', 'update') && (
            <Menu.Item onClick={() => setMoving(true)}>{t('operators.changeRole')}</Menu.Item>
          )}
          {may('operators', 'update') && row.lockedUntilDtm && (
            <Menu.Item onClick={() => change.mutate({ unlock: true })}>{t('operators.unlock')}</Menu.Item>
          )}
          {may('operators', 'reset') && (
            <Menu.Item onClick={() => reset.mutate(undefined)}>{t('operators.reset')}</Menu.Item>
          )}
          {may('operators', 'remove') && (
            <Menu.Item onClick={() => setRemoving(true)}>{t('operators.remove')}</Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Dialog opened={isMoving} onClose={() => setMoving(false)} title={t('operators.changeRole')}>
        <ChangeRole row={row} onDone={() => setMoving(false)} />
      </Dialog>
      <ConfirmByTyping
        title={t('operators.remove')}
        lead={t('operators.removeLead', { name: row.name })}
        expected={row.name}
        opened={isRemoving}
        onClose={() => setRemoving(false)}
        onConfirm={() => remove.mutate(undefined)}
        isBusy={remove.isPending}
      />
    </>
  );
}

function Roles() {
  const t = useT();
  const may = useMay();
  const { data } = useRoles();
  const roleDescription = useRoleDescription();
  const [edited, setEdited] = useState<Role | 'new'>();
  const close = () => setEdited(undefined);
  if (!data) return null;
  return (
    <section>
      <SectionHead title={t('operators.roles')}>
        {may('operatorRoles', 'create') && (
          <Button size="xs" variant="default" onClick={() => setEdited('new')}>
            {t('roles.new')}
          </Button>
        )}
      </SectionHead>
      <Table className="list" verticalSpacing="sm">
        <caption className="hidden">{t('operators.roles')}</caption>
        <Table.Tbody>
          {data.roles.map((role) => (
            <Table.Tr key={role.name}>
              <Table.Td data-title={t('operators.role')}>
                <strong>{role.name}</strong> {role.masked && <Tag tone="plain">{t('roles.maskedTag')}</Tag>}
              </Table.Td>
              <Table.Td data-title={t('audit.details')}>
                <Text size="sm">{roleDescription(role)}</Text>
              </Table.Td>
              <Table.Td data-title={t('keys.environment')}>
                {role.environments.map((each) => t(`app.${each}`)).join(', ')}
              </Table.Td>
              <Table.Td data-title={t('operators.title')}>{role.operators}</Table.Td>
              <Table.Td className="actions">
                {!role.builtIn && <RoleActions role={role} onEdit={() => setEdited(role)} />}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Dialog
        opened={edited !== undefined}
        onClose={close}
        title={edited === 'new' ? t('roles.new') : t('roles.editNamed', { name: edited?.name ?? '' })}
      >
        {edited && <RoleEditor of={edited === 'new' ? undefined : edited} onDone={close} />}
      </Dialog>
    </section>
  );
}

function RoleActions({ role, onEdit }: { role: Role; onEdit(): void }) {
  const t = useT();
  const may = useMay();
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {may('operatorRoles', 'update') && (
        <Button size="compact-xs" variant="default" onClick={onEdit}>
          {t('roles.edit')}
        </Button>
      )}
      {may('operatorRoles', 'delete') && (
        <DeleteButton
          name={role.name}
          lead={t('roles.deleteLead')}
          remove={() => call('operatorRoles', 'delete', { params: { roleName: role.name } })}
        />
      )}
    </Group>
  );
}
