/* For mongosh: makes the replica set, the roles of config/mongo-roles.json and the two users of the
 * product. May run again: what is there is brought to what stands here. */
const { readFileSync } = require('node:fs');
const secret = (name) => readFileSync(`/run/made/${name}`, 'utf8');
const { roles } = JSON.parse(readFileSync('/config/mongo-roles.json', 'utf8'));
const DATABASE = 'compliance';
const MEMBERS = ['mongo1', 'mongo2', 'mongo3'];

function ensureReplicaSet() {
  try {
    rs.status();
  } catch (error) {
    if (error.codeName !== 'NotYetInitialized') throw error;
    const members = MEMBERS.map((host, _id) => ({ _id, host: `${host}:27017` }));
    rs.initiate({ _id: 'rs0', members });
  }
  // This member was the first to have data, and is the one that is elected.
  while (!db.hello().isWritablePrimary) sleep(200);
}

function ensureRole(target, { role, inherits = [], privileges }) {
  const granted = privileges.flatMap(({ actions, collections }) =>
    collections.map((collection) => ({ actions, resource: { collection, db: DATABASE } })),
  );
  const inherited = inherits.map((name) => ({ db: DATABASE, role: name }));
  if (target.getRole(role) === null) {
    target.createRole({ privileges: granted, role, roles: inherited });
  } else target.updateRole(role, { privileges: granted, roles: inherited });
}

function ensureUser(target, user, role) {
  const pwd = secret(`${user}-password`);
  const held = [{ db: DATABASE, role }];
  if (target.getUser(user) === null) target.createUser({ pwd, roles: held, user });
  else target.updateUser(user, { pwd, roles: held });
}

db.getSiblingDB('admin').auth('root', secret('root-password'));
ensureReplicaSet();
const target = db.getSiblingDB(DATABASE);
for (const role of roles) ensureRole(target, role);
ensureUser(target, 'runtime', 'complianceRuntime');
ensureUser(target, 'setup', 'complianceSetup');
print('the replica set has a primary, and the product its users');
