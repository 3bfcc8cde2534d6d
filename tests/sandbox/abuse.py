"""Which test stands for which line of the list of abuses (T1 to T74), and what is not built yet.

A line may have several tests. `LATER` names the room with which a line comes; a line may stand in both, where a workflow's host is
tested and something else is not there yet.
"""

TESTS: dict[int, str] = {
    1: "test_files.py::test_files_of_others_cannot_be_read test_files.py::test_folders_of_others_cannot_be_listed",
    2: "test_files.py::test_nothing_outside_scratch_can_be_written",
    3: "test_files.py::test_dots_lead_nowhere",
    4: "test_files.py::test_links_of_proc_lead_to_the_same_root test_files.py::test_links_of_proc_lead_nowhere_where_restricted",
    9: "test_files.py::test_no_hard_link_into_the_workspace",
    11: "test_files.py::test_a_workspace_that_became_a_link_is_not_bound test_levels.py::test_each_worse_report_is_noticed",
    12: "test_files.py::test_planted_links_are_not_followed_by_the_set_up",
    13: "test_files.py::test_only_the_systems_own_bubblewrap",
    14: "test_files.py::test_names_are_no_options test_files.py::test_a_nul_is_refused",
    20: "test_processes.py::test_no_environment_of_others",
    21: "test_processes.py::test_command_lines_show_no_workspace",
    22: "test_processes.py::test_no_descriptor_of_the_runner test_levels.py::test_each_worse_report_is_noticed",
    23: "test_processes.py::test_a_forked_child_cannot_look_into_its_host",
    24: "test_processes.py::test_calls_that_are_refused test_processes.py::test_the_same_where_restricted",
    25: "test_files.py::test_the_interpreter_cannot_be_changed test_processes.py::test_no_program_is_started",
    26: "test_processes.py::test_a_daemon_ends_with_its_run",
    27: "test_processes.py::test_no_signal_reaches_others",
    28: "test_processes.py::test_a_killed_runner_leaves_no_process",
    29: "test_processes.py::test_no_new_namespaces",
    30: "test_processes.py::test_no_typing_into_terminals",
    31: "test_processes.py::test_no_typing_into_terminals",
    32: "test_processes.py::test_every_call_of_the_table_is_refused test_processes.py::test_other_ways_into_the_kernel",
    33: "test_network.py::test_nothing_is_reached",
    34: "test_network.py::test_nothing_is_reached",
    35: "test_network.py::test_no_socket_of_any_kind test_network.py::test_nothing_is_reached",
    36: "test_network.py::test_no_name_is_resolved",
    40: "test_limits.py::test_a_fork_bomb_is_stopped test_limits.py::test_a_fork_bomb_is_watched_where_restricted",
    41: "test_limits.py::test_memory_of_many_processes_is_watched",
    42: "test_limits.py::test_scratch_is_small",
    43: "test_limits.py::test_files_end_somewhere",
    44: "test_limits.py::test_output_is_kept_up_to_a_cap",
    48: "test_files.py::test_no_setuid_file_can_be_made",
    49: "test_files.py::test_no_setuid_file_can_be_made test_files.py::test_modes_and_times_of_files_stay",
    70: "test_levels.py::test_without_bubblewrap test_levels.py::test_a_bubblewrap_that_does_nothing "
    "test_levels.py::test_a_bubblewrap_that_fails test_levels.py::test_landlock_of_other_kernels "
    "test_levels.py::test_each_missing_wall_is_noticed test_levels.py::test_a_run_is_never_lowered "
    "test_levels.py::test_an_unfit_host_gets_nothing",
    71: "test_levels.py::test_a_bubblewrap_that_fails",
    72: "test_hosts.py::test_nothing_is_left_after_a_run test_hosts.py::test_fifty_hosts_at_once",
    73: "test_files.py::test_honest_work_still_works",
}
LATER: dict[str, str] = {
    "stage, diff and apply": "5 10 11 12 42 43 47 48 49 50 51 52 53 54 55 56 57 60 61 64 66 67 68 72 73",
    "the runner's file calls for the stage": "6 7 8",
    "commands": "23 30 46 62 63 73",
    "connectors": "37 38 39 74",
    "step time limits, tested with the engine": "45",
    "the desk's frames, tested with the engine": "65",
    "secrets in logs, tested with effects": "69",
    "the window": "44 55",
}
