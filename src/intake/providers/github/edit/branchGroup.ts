/**
 * One group for each pull request, and for each branch but the default one: each of its commits may have to be tested or
 * deployed. Its runs have no group in common, because GitHub cancels what waits in a group even without
 * `cancel-in-progress`, and issues and schedules run there, too. Here, so that the provider loads no YAML for it.
 */
export const groupBesidesDefaultBranch =
  '${{ github.workflow }}-${{ github.event.pull_request.number || github.ref_name == github.event.repository.default_branch && github.run_id || github.ref }}';
