import type { Command } from 'commander';
import { asOperator, operatorConfig } from '../operator.ts';
import { type CommonOptions, define, defineGroup, examples, print, type Result, table } from '../output.ts';

type TenantOption = CommonOptions & { tenant: string };
type InstallationOptions = TenantOption & { end?: boolean };
type InviteOptions = TenantOption & { email: string; role: string };

export function defineOperators(program: Command): void {
  const about = 'invite and list the people who use the console, directly in the database; the server may be running';
  const group = defineGroup(program, 'operator', about);
  define(group, 'invite <name>', 'invite an operator; the link to make a passkey is shown once')
    .requiredOption('--tenant <id>', 'the tenant')
    .requiredOption('--email <address>', 'the e-mail address of the operator')
    .option('--role <name>', 'Owner, Administrator, Developer, Reviewer, Auditor, or a role of the tenant', 'Reviewer')
    .addHelpText(
      'after',
      `${examples('grove operator invite "Jane Doe" --email jane@acme.com --role Owner --tenant acme')}
The link is good once, for three days. It opens the console at the address of the tenant.`,
    )
    .action(async (name: string, options: InviteOptions) => print(options, await invite(name, options)));
  define(group, 'list', 'list the operators of a tenant')
    .requiredOption('--tenant <id>', 'the tenant')
    .addHelpText('after', examples('grove operator list --tenant acme'))
    .action(async (options: TenantOption) => print(options, await list(options)));
  define(group, 'reset <id>', 'end the passkeys and sessions of an operator, and show a new link')
    .requiredOption('--tenant <id>', 'the tenant')
    .addHelpText('after', examples('grove operator reset 01JZ4MCW8A0C2E4G6J8M0P2R4T --tenant acme'))
    .action(async (id: string, options: TenantOption) => print(options, await reset(id, options)));
  defineInstallation(group);
}

function defineInstallation(group: Command): void {
  define(group, 'installation <id>', 'let an operator manage all tenants in the console')
    .requiredOption('--tenant <id>', 'the tenant of the operator')
    .option('--end', 'withdraw it')
    .addHelpText(
      'after',
      `${examples('grove operator installation 01JZ4MCW8A0C2E4G6J8M0P2R4T --tenant acme')}
Such an operator makes, suspends and resumes tenants and sees the queue of jobs, as far as the role permits. Only this
command grants it. It ends when the operator is reset, and holds for nobody who signs in by single sign-on.`,
    )
    .action(async (id: string, options: InstallationOptions) => print(options, await setInstallation(id, options)));
}

async function setInstallation(id: string, { tenant, end = false }: InstallationOptions): Promise<Result> {
  const { OperatorError } = await import('@grove/server');
  const row = await ofTenant(tenant, (operators, tenantId) => operators.setInstallation(tenantId, id, !end));
  if (!row) throw new OperatorError(`There is no operator ${id} in the tenant ${tenant}`);
  const text = `${row.name} is ${end ? 'no longer' : 'now'} an operator of the installation.`;
  return { value: { id, ofInstallation: !end }, text };
}

const EMAIL = /^[^\s@()<>]{1,200}@[^\s@()<>]{1,200}$/;
const NAME = /^[^()<>]{1,100}$/;

async function invite(name: string, { tenant, email, role }: InviteOptions): Promise<Result> {
  const { OperatorError } = await import('@grove/server');
  if (name.trim() === '' || !NAME.test(name))
    throw new OperatorError('A name has 1 to 100 characters, without brackets');
  if (!EMAIL.test(email)) throw new OperatorError('--email is an address such as jane@acme.com');
  const link = await ofTenant(tenant, (operators, tenantId) => operators.invite(tenantId, { name, email, role }));
  const { id } = link.operator;
  return linkResult(`${name} is invited as ${role} (id ${id}).`, { ...link, id });
}

async function reset(id: string, { tenant }: TenantOption): Promise<Result> {
  const { OperatorError } = await import('@grove/server');
  const link = await ofTenant(tenant, (operators, tenantId) => operators.reset(tenantId, id));
  if (!link) throw new OperatorError(`There is no operator ${id} in the tenant ${tenant}`);
  return linkResult(`${link.operator.name} can make a new passkey; the old ones and all sessions have ended.`, {
    ...link,
    id,
  });
}

function linkResult(head: string, { id, url, expiresAt }: { id: string; url: string; expiresAt: number }): Result {
  const expiringDtm = new Date(expiresAt).toISOString();
  const text = [head, '', `  ${url}`, '', `The link is shown this once. It is good once, until ${expiringDtm}.`];
  return { value: { id, url, expiringDtm }, text: text.join('\n') };
}

async function list({ tenant }: TenantOption): Promise<Result> {
  const rows = await ofTenant(tenant, (operators, tenantId) => operators.list(tenantId));
  const operators = rows.map(({ id, name, email, role, status, last_sign_in_at }) => ({
    id,
    name,
    email,
    role,
    status,
    lastSignInDtm: last_sign_in_at === null ? null : new Date(last_sign_in_at).toISOString(),
  }));
  const text =
    operators.length === 0
      ? `There are no operators. Invite one: grove operator invite NAME --email ADDRESS --role Owner --tenant ${tenant}`
      : table(
          ['ID', 'NAME', 'E-MAIL', 'ROLE', 'STATUS', 'LAST SIGN-IN'],
          operators.map((each) => Object.values(each).map((value) => value ?? 'never')),
        );
  return { value: { operators }, text };
}

type Server = typeof import('@grove/server');
type Admin = import('@grove/server').Operator['operators'];

async function ofTenant<T>(
  tenant: string,
  work: (operators: Admin, tenantId: import('@grove/server').TenantId) => Promise<T>,
): Promise<T> {
  const { ApiError, OperatorError, findTenant, isTenantId }: Server = await import('@grove/server');
  return asOperator(await operatorConfig(), async ({ operators, db }) => {
    if (!isTenantId(tenant) || !(await findTenant(db.system, { id: tenant }))) {
      throw new OperatorError(`There is no tenant ${tenant}`);
    }
    try {
      return await work(operators, tenant);
    } catch (error) {
      if (error instanceof ApiError) throw new OperatorError(error.message);
      throw error;
    }
  });
}
