/** Every operation that the stand-in knows. Order matters where one path matches two. */
import { type Edition, lackingRoutes, withoutLimit } from '../edition.ts';
import type { Meter } from '../http/rate-limit.ts';
import { makeRouter, type Router } from '../http/router.ts';
import { appRoutes } from './app.ts';
import { branchRoutes } from './branches.ts';
import { commentRoutes } from './comments.ts';
import { contentsRoutes } from './contents.ts';
import { dependencyRoutes } from './dependencies.ts';
import { graphqlRoute } from './graphql.ts';
import { hookDeliveryRoutes } from './hook-deliveries.ts';
import { issueRoutes } from './issues.ts';
import { makeRateLimitRoute } from './rate-limit.ts';
import { repositoryRoutes } from './repositories.ts';
import { userRoutes } from './users.ts';

export function makeRoutes(meter: Meter, edition: Edition): Router {
  const isOld = edition === 'enterprise';
  const rateLimitRoute = makeRateLimitRoute(meter);
  return makeRouter([
    ...appRoutes,
    ...hookDeliveryRoutes,
    ...commentRoutes,
    ...issueRoutes,
    ...(isOld ? lackingRoutes(dependencyRoutes) : dependencyRoutes),
    graphqlRoute,
    ...repositoryRoutes,
    ...contentsRoutes,
    ...branchRoutes,
    ...userRoutes,
    isOld ? withoutLimit(rateLimitRoute) : rateLimitRoute,
  ]);
}
