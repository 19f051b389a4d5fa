/** Replaces the values of `name value` lines, as Grid Engine prints and reads its settings. */
export function changeSettings(text: string, values: Readonly<Record<string, string | number>>): string {
  let changed = text;
  for (const [name, value] of Object.entries(values)) {
    const line = new RegExp(`^${name}\\s.*(\\\\\\n.*)*$`, "m");
    if (!line.test(changed)) throw new Error(`Grid Engine has no setting ${name} here:\n${text}`);
    changed = changed.replace(line, () => `${name} ${value}`);
  }
  return changed;
}

/** What the master reads first. */
export function bootstrapFile(spool: string): string {
  return `admin_user              sgeadmin
default_domain          none
ignore_fqdn             true
spooling_method         berkeleydb
spooling_lib            libspoolb
spooling_params         ${spool}/db
binary_path             /usr/sbin
qmaster_spool_dir       ${spool}/qmaster
security_mode           none
listener_threads        2
worker_threads          2
scheduler_threads       1
`;
}

/** Settings of the whole cluster that make it quick to notice things, and let root run jobs. */
export const clusterSettings = (spool: string): Record<string, string | number> => ({
  execd_spool_dir: `${spool}/execd`,
  mailer: "/bin/true",
  shell_start_mode: "unix_behavior",
  min_uid: 0,
  min_gid: 0,
  load_report_time: "00:00:02",
  max_unheard: "00:00:10",
  reschedule_unknown: "00:00:05",
  reporting_params:
    "accounting=true reporting=false flush_time=00:00:01 accounting_flush_time=00:00:01 joblog=false sharelog=00:00:00",
});

/** One pass of the scheduler a second, and one after every submission and every end. */
export const schedulerSettings: Readonly<Record<string, string | number>> = {
  schedule_interval: "0:0:1",
  flush_submit_sec: 1,
  flush_finish_sec: 1,
  job_load_adjustments: "NONE",
  load_adjustment_decay_time: "0:0:0",
  max_pending_tasks_per_job: 1000,
};

/** One queue on one host; a load of the machine does not close it. */
export const queueSettings = (
  values: Readonly<{ qname: string; hostlist: string; slots: number; tmpdir: string }>,
): Record<string, string | number> => ({
  ...values,
  load_thresholds: "NONE",
  pe_list: "NONE",
  min_cpu_interval: "00:00:01",
  shell: "/bin/bash",
  shell_start_mode: "unix_behavior",
  notify: "00:00:05",
});

export function hostFile(host: string): string {
  const none = "load_scaling complex_values user_lists xuser_lists projects xprojects usage_scaling report_variables";
  return [`hostname ${host}`, ...none.split(" ").map((name) => `${name} NONE`), ""].join("\n");
}
