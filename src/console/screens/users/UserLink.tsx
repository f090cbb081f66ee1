import { userAddress } from './userAddress.ts';

/** A user by name, or by id without one. */
export const UserLink = ({ id, name }: { id: string; name: string | null }) => (
  <a href={userAddress(id)} title={id}>
    {name ?? id}
  </a>
);
