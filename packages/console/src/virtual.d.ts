declare module 'virtual:grove-routes' {
  /** By group and name: method, address, permission (empty if there is none). */
  export const routes: Record<string, Record<string, readonly [method: string, path: string, permission: string]>>;
}
