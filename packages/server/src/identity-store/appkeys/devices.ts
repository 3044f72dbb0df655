import { api } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import type { IdentityCore } from '../identity-core.ts';
import type { User } from '../users/user-view.ts';
import { clearPreferred, clearPreferredOne, findDevice, preferDevice, putDevice } from './devices.repository.ts';
import { lockOwner } from './keys.ts';
import { sealPushToken } from './push-tokens.ts';

/** The devices that hold a user's appkeys. They receive push notifications; one of them can be the preferred device. */
type Devices = Pick<
  typeof api.appkeys,
  'updateDevice' | 'setPreferredDevice' | 'clearPreferredDevice' | 'deletePreferredDevice'
>;

type DeviceParams = { storeName: string; rpId: string };

export function appkeyDeviceHandlers({ vault, userView }: Pick<IdentityCore, 'vault' | 'userView'>) {
  /** Locks the user's row, does the work and returns the user as it is afterwards. */
  const change = (
    context: Context,
    params: DeviceParams,
    work: (tx: TenantTx, userId: string) => Promise<unknown>,
  ): Promise<User> =>
    context.db.write(async (tx) => {
      const { user } = await lockOwner(tx, context, params);
      await work(tx, user.id);
      return userView(tx, user, context.now);
    });

  return implement<Devices>(api.appkeys, {
    async updateDevice(context, { params, body: { pushToken, pushProvider } }) {
      const { rpId, deviceId } = params;
      const { now } = context;
      return change(context, params, async (tx, userId) => {
        const device = { userId, rpId, deviceId };
        const before = await findDevice(tx, device);
        if (!before) throw new ApiError(100033);
        const token = await sealPushToken(vault, tx, device, pushToken);
        await putDevice(tx, { ...device, provider: pushProvider ?? before.push_provider, token, now });
      });
    },

    async setPreferredDevice(context, { params: { rpId, deviceId, ...params } }) {
      return change(context, { rpId, ...params }, async (tx, userId) => {
        if (!(await preferDevice(tx, { userId, rpId, deviceId }, context.now))) throw new ApiError(100033);
      });
    },

    async clearPreferredDevice(context, { params }) {
      return change(context, params, (tx, userId) =>
        clearPreferred(tx, { userId, rpId: params.rpId, now: context.now }),
      );
    },

    async deletePreferredDevice(context, { params: { rpId, deviceId, ...params } }) {
      return change(context, { rpId, ...params }, async (tx, userId) => {
        if (!(await clearPreferredOne(tx, { userId, rpId, deviceId }, context.now))) throw new ApiError(100033);
      });
    },
  });
}
