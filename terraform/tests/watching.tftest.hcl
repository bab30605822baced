# Who is told of what, and what the dashboard shows.

mock_provider "google" {
  source = "./tests/mocks"
}

variables {
  project           = "a-project"
  region            = "europe-west1"
  image             = "europe-west1-docker.pkg.dev/a-project/whatis/cmd@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
  learn_from_search = false
  vertex_location   = "global"
}

# Each condition whole: a threshold that never comes, a comparison the other way round
# or a filter of nothing is as good as no alert.
run "alerts" {
  command = plan

  assert {
    condition     = [for c in google_monitoring_alert_policy.queries["failures"].conditions : c.condition_prometheus_query_language[0].query] == ["max(pubsub_googleapis_com:subscription_num_undelivered_messages{monitored_resource=\"pubsub_subscription\",subscription_id=\"whatis-failures\"}) > 0"]
    error_message = "nobody hears of a photo that was given up"
  }
  assert {
    condition = toset([for c in google_monitoring_alert_policy.queries["errors"].conditions : c.condition_prometheus_query_language[0].query]) == toset([
      "sum by (service_name) (rate(run_googleapis_com:request_count{monitored_resource=\"cloud_run_revision\",service_name=\"whatis-api\",response_code_class=\"5xx\"}[15m])) / sum by (service_name) (rate(run_googleapis_com:request_count{monitored_resource=\"cloud_run_revision\",service_name=\"whatis-api\"}[15m])) > 0.2",
      "(sum by (service_name) (rate(run_googleapis_com:request_count{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\",response_code_class=\"5xx\"}[15m])) - (sum by (service_name) (rate(logging_googleapis_com:user_whatis_model_errors{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\",kind!=\"no_search\"}[15m])) or 0 * sum by (service_name) (rate(run_googleapis_com:request_count{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\"}[15m])))) / sum by (service_name) (rate(run_googleapis_com:request_count{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\"}[15m])) > 0.2",
    ])
    error_message = "nobody hears of failing requests"
  }
  # internal/analyze/intake gives up after a day of outage; Pub/Sub forgets after seven. What
  # silences one of these is what another tells of: scripts/waiting_test.go walks through it.
  assert {
    condition = toset([for c in concat(google_monitoring_alert_policy.queries["age"].conditions, google_monitoring_alert_policy.queries["dead"].conditions) : trimprefix(trimsuffix(c.condition_prometheus_query_language[0].query, " unless on() (sum by (kind) (increase(logging_googleapis_com:user_whatis_model_errors{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\",kind!=\"no_search\"}[30m])) > 0 or (sum by (service_name) (rate(run_googleapis_com:request_count{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\",response_code_class=\"5xx\"}[15m])) - (sum by (service_name) (rate(logging_googleapis_com:user_whatis_model_errors{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\",kind!=\"no_search\"}[15m])) or 0 * sum by (service_name) (rate(run_googleapis_com:request_count{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\"}[15m])))) / sum by (service_name) (rate(run_googleapis_com:request_count{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\"}[15m])) > 0.2)"), "max by (subscription_id) (max_over_time(pubsub_googleapis_com:subscription_oldest_unacked_message_age{monitored_resource=\"pubsub_subscription\",")]) == toset([
      "subscription_id=~\"whatis-long-tasks|whatis-uploads\"}[5m])) > 900",
      "subscription_id=~\"whatis-tasks\"}[5m])) > 21600",
      "subscription_id=~\"whatis-long-tasks-dead-letter|whatis-tasks-dead-letter|whatis-uploads-dead-letter\"}[5m])) > 0",
    ])
    error_message = "nobody hears of a message that waits"
  }
  assert {
    condition = toset([for c in google_monitoring_alert_policy.queries["loss"].conditions : trimprefix(c.condition_prometheus_query_language[0].query, "max by (subscription_id) (max_over_time(pubsub_googleapis_com:subscription_oldest_unacked_message_age{monitored_resource=\"pubsub_subscription\",")]) == toset([
      "subscription_id=~\"whatis-long-tasks|whatis-tasks|whatis-uploads\"}[5m])) > 432000",
      "subscription_id=~\"whatis-long-tasks-dead-letter|whatis-tasks-dead-letter|whatis-uploads-dead-letter|whatis-failures\"}[5m])) > 2246400",
    ])
    error_message = "messages are lost before anybody hears of it"
  }
  # Two days of seven and five of 31 are left, whatever the retention comes to be.
  assert {
    condition     = tonumber(trimsuffix(google_pubsub_subscription.queues["uploads"].message_retention_duration, "s")) - 432000 >= 2 * 86400 - 1 && tonumber(trimsuffix(google_pubsub_subscription.failures.message_retention_duration, "s")) - 2246400 >= 5 * 86400 - 1
    error_message = "who is told of a loss is told too late"
  }
  # One series a kind, so that a cause is one incident: what a person ends, what waits for a
  # model, batches that stand still, and callers and searches that are refused.
  assert {
    condition = [for c in google_monitoring_alert_policy.queries["models"].conditions : c.condition_prometheus_query_language[0].query] == [join(" or ", concat(
      ["sum by (kind) (increase(logging_googleapis_com:user_whatis_model_errors{monitored_resource=\"cloud_run_revision\",kind=~\"gone|invalid|not_in_plan|unauthorized|unpaid\"}[30m])) > 0"],
      [for old in ["long-tasks-dead-letter|whatis-tasks-dead-letter|whatis-uploads-dead-letter\"}[5m])) > 0", "tasks\"}[5m])) > 21600", "long-tasks|whatis-uploads\"}[5m])) > 900"] :
      "sum by (kind) (increase(logging_googleapis_com:user_whatis_model_errors{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\",kind!=\"no_search\"}[30m])) > 0 and on() max by (subscription_id) (max_over_time(pubsub_googleapis_com:subscription_oldest_unacked_message_age{monitored_resource=\"pubsub_subscription\",subscription_id=~\"whatis-${old}"],
      ["sum by (kind) (increase(logging_googleapis_com:user_whatis_model_errors{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\",kind!=\"no_search\"}[30m])) > 0 > scalar(sum(increase(logging_googleapis_com:user_whatis_results{monitored_resource=\"cloud_run_revision\",service_name=~\"whatis-(upload|task)\",cached=\"false\",source=~\"image|local_db|google_search|unidentified|no_product\"}[30m])) or vector(0)) and on() max by (subscription_id) (max_over_time(pubsub_googleapis_com:subscription_oldest_unacked_message_age{monitored_resource=\"pubsub_subscription\",subscription_id=~\"whatis-tasks|whatis-long-tasks|whatis-uploads\"}[5m])) > 900"],
      ["sum by (kind) (increase(logging_googleapis_com:user_whatis_model_errors{monitored_resource=\"cloud_run_revision\",service_name=\"whatis-api\",kind=~\"malformed|quota|unavailable\"}[15m])) > 20"],
      ["sum by (kind) (increase(logging_googleapis_com:user_whatis_model_errors{monitored_resource=\"cloud_run_revision\",kind=\"no_search\"}[15m])) > 20"],
    ))]
    error_message = "nobody hears of a model that is gone, closed, down or out of quota"
  }
  assert {
    condition     = [for c in google_monitoring_alert_policy.queries["failing"].conditions : c.condition_prometheus_query_language[0].query] == ["sum by (source) (increase(logging_googleapis_com:user_whatis_results{monitored_resource=\"cloud_run_revision\",source!~\"image|local_db|google_search|unidentified|no_product\"}[1h])) / scalar(sum(increase(logging_googleapis_com:user_whatis_results{monitored_resource=\"cloud_run_revision\"}[1h]))) > 0.2 and on() sum(increase(logging_googleapis_com:user_whatis_results{monitored_resource=\"cloud_run_revision\"}[1h])) > 20"]
    error_message = "nobody hears that many photos fail for the same cause"
  }
  # Both windows of a burn rate, so that it begins and ends in time.
  assert {
    condition = { for name, of in { late = ["late", "results{monitored_resource=\"cloud_run_revision\",cached=\"false\"}"], slow = ["slow_reads", "reads{monitored_resource=\"cloud_run_revision\"}"] } : name => toset([for c in google_monitoring_alert_policy.queries[name].conditions : c.condition_prometheus_query_language[0].query]) } == {
      for name, of in { late = ["late", "results{monitored_resource=\"cloud_run_revision\",cached=\"false\"}"], slow = ["slow_reads", "reads{monitored_resource=\"cloud_run_revision\"}"] } : name => toset([for w in [["1h", "5m", "0.144"], ["6h", "30m", "0.06"]] :
        join(" and ", [for window in [w[0], w[1]] : "sum(increase(logging_googleapis_com:user_whatis_${of[0]}{monitored_resource=\"cloud_run_revision\"}[${window}])) / sum(increase(logging_googleapis_com:user_whatis_${of[1]}[${window}])) > ${w[2]}"])
      ])
    }
    error_message = "nobody hears that results are late or the API slow"
  }
  # A metric of the log can be asked about only minutes after it was made.
  assert {
    condition     = alltrue(flatten([for p in google_monitoring_alert_policy.queries : [for c in p.conditions : c.condition_prometheus_query_language[0].disable_metric_validation && c.condition_prometheus_query_language[0].duration == "300s" && c.condition_prometheus_query_language[0].evaluation_interval == "60s"]]))
    error_message = "the first apply fails, as the metric is not there yet"
  }
  # The texts are those of Cloud Run's own log.
  assert {
    condition = { for name, p in google_monitoring_alert_policy.lines : name => trimprefix(one(p.conditions).condition_matched_log[0].filter, "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=~\"^whatis-(upload|task|api)$\" AND ") } == {
      spend     = "jsonPayload.message=\"spend is near its limit\""
      refused   = "jsonPayload.message=\"event refused\""
      memory    = "logName:\"varlog%2Fsystem\" AND textPayload:\"Consider increasing the memory limit\""
      crash     = "textPayload=~\"^(panic: |fatal error: |Container called exit\\(|Container terminated on signal)\""
      rollout   = "severity=ERROR AND protoPayload.status.message:\"Ready condition status changed to False\""
      instances = "resource.labels.service_name=\"whatis-api\" AND textPayload:\"no available instance\""
      timeouts  = "httpRequest.status=504"
    }
    error_message = "nobody hears that the day's money runs out, of a crash, a rollout, a time-out no instance, or events that nobody can read"
  }
  assert {
    condition     = alltrue([for p in google_monitoring_alert_policy.lines : p.alert_strategy[0].notification_rate_limit[0].period == "3600s" && p.alert_strategy[0].auto_close == "3600s"])
    error_message = "everybody hears of each line"
  }
  assert {
    condition     = alltrue([for p in google_monitoring_alert_policy.lines : "whatis: ${one(p.conditions).display_name}" == p.display_name])
    error_message = "an incident is not named as its alert"
  }
  # Cloud Monitoring takes six conditions, one where lines are matched, and joins them as
  # it is told.
  assert {
    condition     = alltrue([for p in concat(values(google_monitoring_alert_policy.queries), values(google_monitoring_alert_policy.lines)) : length(p.conditions) >= 1 && length(p.conditions) <= 6 && p.combiner == "OR" && p.enabled != false])
    error_message = "a policy has too many conditions, wants them all at once, or is off"
  }
  # Whoever is woken up reads what it means, where to look and what to do, with the project
  # filled in.
  assert {
    condition     = alltrue([for p in concat(values(google_monitoring_alert_policy.queries), values(google_monitoring_alert_policy.lines)) : can(regex("(?s)^\\*\\*Meaning\\.\\*\\* .{40,}\n\n\\*\\*First look\\.\\*\\* https://console\\.cloud\\.google\\.com/.*[?]project=a-project\n\n\\*\\*Remedy\\.\\*\\* .{20,}\n\n\\*\\*More\\.\\*\\* docs/operations.md, ${p.display_name}$", p.documentation[0].content)) && p.documentation[0].mime_type == "text/markdown" && startswith(p.display_name, "whatis: ")])
    error_message = "an alert does not say what it means, where to look first, or what to do"
  }
  # The page that it leads to shows the cause, and the remedy ends it.
  assert {
    condition = { for name, p in merge(google_monitoring_alert_policy.queries, google_monitoring_alert_policy.lines) : name => split("?", split(";", regex("console\\.cloud\\.google\\.com/([^\n]+)", p.documentation[0].content)[0])[0])[0] } == {
      failures = "logs/query", errors = "logs/query", dead = "logs/query", models = "logs/query", refused = "logs/query", memory = "logs/query", crash = "logs/query", timeouts = "logs/query"
      age      = "monitoring/dashboards", failing = "monitoring/dashboards", late = "monitoring/dashboards", spend = "monitoring/dashboards"
      loss     = "cloudpubsub/subscription/list", slow = "run", rollout = "run", instances = "run"
    }
    error_message = "an alert leads to a page that does not show its cause"
  }
  assert {
    condition = alltrue([for name, said in {
      failures = ["came to nothing", "replay --failed"], errors = ["fifth of a service's requests", "commit before"], age = ["has waited for long", "Messages waiting"]
      dead     = ["from its dead-letter topic", "needs no replay"], loss = ["forgets these messages", "whatisit replay sends"], models = ["or callers are refused", "roles/aiplatform.user"]
      failing  = ["ended with the same error", "error=CODE"], late = ["within 2 minutes", "flex"], slow = ["within a second", "min_instances = 1"]
      spend    = ["Four fifths of max_usd_per_day (USD 0)", "Raise max_usd_per_day"], refused = ["cannot read", "Change what delivers it"], memory = ["more memory than it has", "memory_mb"]
      crash    = ["ended by itself", "are the stack"], rollout = ["did not become ready", "configuration refuses"], instances = ["no instance was free", "Raise max_instances"], timeouts = ["was cut off", "trace of the request"]
      } : alltrue([for part, words in { Meaning = said[0], Remedy = said[1] } : strcontains(regex("(?s)\\*\\*${part}\\.\\*\\* (.*?)(?:\n\n|$)", merge(google_monitoring_alert_policy.queries, google_monitoring_alert_policy.lines)[name].documentation[0].content)[0], words)])
    ])
    error_message = "an alert means, or wants done, what is another's"
  }
  assert {
    condition     = { for p in concat(values(google_monitoring_alert_policy.queries), values(google_monitoring_alert_policy.lines)) : p.severity => trimprefix(p.display_name, "whatis: ")... } == { CRITICAL = ["messages about to be lost"], ERROR = ["dead letters", "error rate", "photos given up", "model errors", "crash", "out of memory", "events refused", "failed rollout", "time-outs"], WARNING = ["oldest message", "photos that fail", "results are late", "the API is slow", "no instance", "spend near its limit"] }
    error_message = "an alert is missing, new, or of another severity"
  }
  assert {
    condition     = length(google_monitoring_uptime_check_config.api) == 0 && length(google_monitoring_alert_policy.away) == 0
    error_message = "Google's probes are refused by a private API, and somebody is told"
  }
  assert {
    condition     = length(regexall("resource \"google_monitoring_alert_policy\"", join("\n", [for f in fileset(path.module, "*.tf") : file("${path.module}/${f}")]))) == 3
    error_message = "there is an alert that this test does not know"
  }
  assert {
    condition     = length(google_billing_budget.month) == 0 && !contains(keys(google_project_service.apis), "billingbudgets.googleapis.com")
    error_message = "a budget needs a billing account"
  }
  assert {
    condition     = alltrue([for name, s in merge(google_project_service.first, google_project_service.apis) : s.service == name && endswith(name, ".googleapis.com") && s.disable_on_destroy == false])
    error_message = "another API is turned on than is meant, or a destroy turns one off that others use"
  }
}

# A public API is asked for from outside.
run "a_public_api_is_probed" {
  command = apply
  variables {
    public_api      = true
    max_usd_per_day = 5
    deployer        = "jo@example.com"
    alert_emails    = ["jo@example.com"]
  }

  assert {
    condition     = [for u in google_monitoring_uptime_check_config.api : "${u.http_check[0].path} ${u.http_check[0].use_ssl} ${u.http_check[0].validate_ssl} ${u.period} ${u.timeout} ${u.monitored_resource[0].type} ${u.monitored_resource[0].labels.host == trimprefix(google_cloud_run_v2_service.services["api"].uri, "https://")}"] == ["/health true true 300s 10s uptime_url true"]
    error_message = "nobody asks whether the API answers"
  }
  assert {
    condition     = [for p in google_monitoring_alert_policy.away : "${p.conditions[0].condition_prometheus_query_language[0].query} ${p.conditions[0].condition_prometheus_query_language[0].duration} ${p.conditions[0].condition_prometheus_query_language[0].evaluation_interval} ${p.severity} ${length(p.notification_channels)}"] == ["avg(avg_over_time(monitoring_googleapis_com:uptime_check_check_passed{monitored_resource=\"uptime_url\",check_id=\"${google_monitoring_uptime_check_config.api[0].uptime_check_id}\"}[10m])) < 0.5 300s 60s CRITICAL 1"]
    error_message = "nobody hears that the API does not answer"
  }
  assert {
    condition     = alltrue([for p in google_monitoring_alert_policy.away : can(regex("(?s)^\\*\\*Meaning\\.\\*\\* .{40,}\n\n\\*\\*First look\\.\\*\\* https://console\\.cloud\\.google\\.com/.*[?]project=a-project\n\n\\*\\*Remedy\\.\\*\\* .{20,}\n\n\\*\\*More\\.\\*\\* docs/operations.md, whatis: the API is away$", p.documentation[0].content)) && p.documentation[0].mime_type == "text/markdown" && p.display_name == "whatis: the API is away" && p.conditions[0].display_name == "Fewer than half of Google's probes get an answer" && p.conditions[0].condition_prometheus_query_language[0].disable_metric_validation])
    error_message = "the alert does not say that the API is away, what that means, or where to look; or the first apply fails, as the metric is not there yet"
  }
}

run "alerts_and_budget_reach_people" {
  command = apply
  variables {
    alert_emails    = ["jo@example.com", "shop@example.com"]
    billing_account = "012345-6789AB-CDEF01"
    monthly_budget  = 250
  }

  assert {
    condition     = toset([for c in google_monitoring_notification_channel.emails : "${c.type} ${c.labels.email_address}"]) == toset(["email jo@example.com", "email shop@example.com"])
    error_message = "alert_emails is not used"
  }
  assert {
    condition     = alltrue([for p in concat(values(google_monitoring_alert_policy.queries), values(google_monitoring_alert_policy.lines)) : toset(p.notification_channels) == toset([for c in google_monitoring_notification_channel.emails : c.id])])
    error_message = "an alert tells nobody"
  }
  assert {
    condition     = google_billing_budget.month[0].billing_account == "012345-6789AB-CDEF01" && google_billing_budget.month[0].amount[0].specified_amount[0].units == "250" && google_billing_budget.month[0].budget_filter[0].projects == toset(["projects/123456789012"])
    error_message = "the budget is not that of the project"
  }
  assert {
    condition     = [for r in google_billing_budget.month[0].threshold_rules : "${r.threshold_percent} ${r.spend_basis}"] == ["0.5 CURRENT_SPEND", "0.9 CURRENT_SPEND", "1 CURRENT_SPEND", "1 FORECASTED_SPEND"]
    error_message = "the budget does not warn in time"
  }
  assert {
    condition     = google_billing_budget.month[0].all_updates_rule[0].monitoring_notification_channels == tolist([for c in google_monitoring_notification_channel.emails : c.id]) && google_billing_budget.month[0].all_updates_rule[0].enable_project_level_recipients
    error_message = "the budget tells nobody"
  }
  assert {
    condition     = contains(keys(google_project_service.apis), "billingbudgets.googleapis.com")
    error_message = "the budget's API is off"
  }
}

# metrics_test.go runs these filters over the code's own lines.
run "metrics_read_the_log" {
  command = plan

  assert {
    condition = { for m in [google_logging_metric.results, google_logging_metric.seconds, google_logging_metric.cost, google_logging_metric.model_errors] : m.name => trimprefix(m.filter, "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=~\"^whatis-(upload|task|api)$\" AND ") } == {
      "whatis/results"      = "jsonPayload.message=\"object analysed\""
      "whatis/seconds"      = "jsonPayload.message=\"object analysed\" AND jsonPayload.cached=false"
      "whatis/cost_usd"     = "jsonPayload.message=\"models cost\""
      "whatis/model_errors" = "severity>=WARNING AND jsonPayload.error=~\"gemini: ([a-z0-9.-]+: )?(budget|gone|invalid|malformed|no_search|not_in_plan|quota|unauthorized|unavailable|unpaid)\""
    }
    error_message = "a metric does not find its line, or finds others"
  }
  assert {
    condition = { for m in [google_logging_metric.results, google_logging_metric.seconds, google_logging_metric.cost, google_logging_metric.model_errors] : m.name => jsonencode(m.label_extractors) } == {
      "whatis/results"      = jsonencode({ source = "EXTRACT(jsonPayload.source)", cached = "EXTRACT(jsonPayload.cached)" })
      "whatis/seconds"      = jsonencode({ source = "EXTRACT(jsonPayload.source)" })
      "whatis/cost_usd"     = jsonencode({ agent = "EXTRACT(jsonPayload.agent)", model = "EXTRACT(jsonPayload.model)" })
      "whatis/model_errors" = jsonencode({ kind = "REGEXP_EXTRACT(jsonPayload.error, \"gemini: (?:[a-z0-9.-]+: )?(budget|gone|invalid|malformed|no_search|not_in_plan|quota|unauthorized|unavailable|unpaid)\")" })
    }
    error_message = "a label is read from another field than the code's"
  }
  assert {
    condition     = alltrue([for m in [google_logging_metric.results, google_logging_metric.seconds, google_logging_metric.cost, google_logging_metric.model_errors] : toset([for l in m.metric_descriptor[0].labels : l.key]) == toset(try(keys(m.label_extractors), [])) && m.metric_descriptor[0].metric_kind == "DELTA" && m.disabled != true])
    error_message = "a metric is off, or its labels are not those that are read"
  }
  # took is a text such as 6.42s.
  assert {
    condition     = google_logging_metric.seconds.value_extractor == "REGEXP_EXTRACT(jsonPayload.took, \"^([0-9.]+)s$\")" && google_logging_metric.seconds.metric_descriptor[0].value_type == "DISTRIBUTION"
    error_message = "the time is not read out of the line"
  }
  assert {
    condition     = google_logging_metric.cost.value_extractor == "EXTRACT(jsonPayload.cost_usd)" && google_logging_metric.cost.metric_descriptor[0].value_type == "DISTRIBUTION"
    error_message = "the cost is not read out of the line"
  }
}

# From a tenth of a second to ten minutes, and from a hundredth of a cent to ten dollars.
run "distributions_fit" {
  command = plan

  assert {
    condition     = [for m in [google_logging_metric.seconds, google_logging_metric.cost] : "${m.bucket_options[0].exponential_buckets[0].scale} ${m.bucket_options[0].exponential_buckets[0].growth_factor} ${m.bucket_options[0].exponential_buckets[0].num_finite_buckets} ${m.metric_descriptor[0].unit}"] == ["0.1 1.35 30 s", "0.0001 2 17 {USD}"]
    error_message = "the times or the costs of photos lie outside the buckets"
  }
}

run "counters_read_the_log" {
  command = plan

  assert {
    condition = { for name, m in google_logging_metric.counts : "${m.name} ${m.metric_descriptor[0].metric_kind} ${m.metric_descriptor[0].value_type}" => trimprefix(m.filter, "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=~\"^whatis-(upload|task|api)$\" AND ") } == {
      "whatis/late DELTA INT64"       = "jsonPayload.message=\"object analysed\" AND jsonPayload.cached=false AND jsonPayload.took=~\"^(1[2-9][0-9]|[2-9][0-9][0-9]|[0-9]{4,})([.][0-9]+)?s$\""
      "whatis/reads DELTA INT64"      = "log_id(\"run.googleapis.com/requests\") AND httpRequest.requestMethod=\"GET\" AND httpRequest.requestUrl=~\"/(health|results|batches|spend|caller|openapi[.]json)([?/]|$)\" AND NOT httpRequest.requestUrl=~\"/(events|stream|image)\""
      "whatis/slow_reads DELTA INT64" = "log_id(\"run.googleapis.com/requests\") AND httpRequest.requestMethod=\"GET\" AND httpRequest.requestUrl=~\"/(health|results|batches|spend|caller|openapi[.]json)([?/]|$)\" AND NOT httpRequest.requestUrl=~\"/(events|stream|image)\" AND httpRequest.latency>=\"1s\""
    }
    error_message = "a counter does not find its line, or finds others"
  }
  assert {
    condition     = length(distinct([for m in google_logging_metric.counts : m.description])) == length(google_logging_metric.counts)
    error_message = "two counters say the same of what they count"
  }
}

run "dashboard" {
  command = plan
  variables {
    name_prefix = "what-is"
  }

  assert {
    condition = alltrue([for wanted in [
      "logging.googleapis.com/user/what-is/results", "metric.label.source",
      "logging.googleapis.com/user/what-is/seconds", "REDUCE_PERCENTILE_95",
      "sum by (agent)", "logging_googleapis_com:user_what_is_cost_usd_sum", "[1d]",
      "cached=", "oldest_unacked_message_age", "dead_letter_message_count", "what-is-(long-tasks|tasks|uploads)",
    ] : strcontains(google_monitoring_dashboard.whatis.dashboard_json, wanted)])
    error_message = "the dashboard lacks results by source, latency, cost a day, cache hits, waiting or dead letters"
  }
  assert {
    condition     = alltrue(flatten([for t in jsondecode(google_monitoring_dashboard.whatis.dashboard_json).mosaicLayout.tiles : [for d in t.widget.xyChart.dataSets : length(d.timeSeriesQuery) == 1]]))
    error_message = "a chart has no series, or two in one"
  }
  # Each chart whole: its title, what it asks and how it is drawn.
  assert {
    condition = [for t in jsondecode(google_monitoring_dashboard.whatis.dashboard_json).mosaicLayout.tiles : "${t.widget.title} | ${join(" | ", [for d in t.widget.xyChart.dataSets : trimspace("${d.plotType} ${try(d.timeSeriesQuery.prometheusQuery, join(" ", concat([d.timeSeriesQuery.timeSeriesFilter.filter], [for k in ["alignmentPeriod", "perSeriesAligner", "crossSeriesReducer"] : d.timeSeriesQuery.timeSeriesFilter.aggregation[k]], try(d.timeSeriesQuery.timeSeriesFilter.aggregation.groupByFields, []))))}")])}"] == [
      "Results by source, an hour | STACKED_BAR resource.type = \"cloud_run_revision\" AND metric.type = \"logging.googleapis.com/user/what-is/results\" 3600s ALIGN_DELTA REDUCE_SUM metric.label.source",
      "Seconds for a photo: half, 95 and 99 of 100 take less | ${join(" | ", [for percent in ["50", "95", "99"] : "LINE resource.type = \"cloud_run_revision\" AND metric.type = \"logging.googleapis.com/user/what-is/seconds\" 300s ALIGN_DELTA REDUCE_PERCENTILE_${percent}"])}",
      "USD a day by agent, by the price table | LINE sum by (agent) (increase(logging_googleapis_com:user_what_is_cost_usd_sum{monitored_resource=\"cloud_run_revision\"}[1d]))",
      "Cache hits: part of the photos that came from the result cache | LINE sum(increase(logging_googleapis_com:user_what_is_results{monitored_resource=\"cloud_run_revision\",cached=\"true\"}[1h])) / sum(increase(logging_googleapis_com:user_what_is_results{monitored_resource=\"cloud_run_revision\"}[1h]))",
      "Requests by service and answer, a minute | STACKED_BAR resource.type = \"cloud_run_revision\" AND metric.type = \"run.googleapis.com/request_count\" AND resource.labels.service_name = one_of(\"what-is-api\", \"what-is-task\", \"what-is-upload\") 60s ALIGN_DELTA REDUCE_SUM resource.label.service_name metric.label.response_code_class",
      "Oldest message, seconds | LINE resource.type = \"pubsub_subscription\" AND resource.labels.subscription_id = monitoring.regex.full_match(\"what-is-(long-tasks|tasks|uploads)\") AND metric.type = \"pubsub.googleapis.com/subscription/oldest_unacked_message_age\" 60s ALIGN_MAX REDUCE_MAX resource.label.subscription_id",
      "Messages waiting | LINE resource.type = \"pubsub_subscription\" AND resource.labels.subscription_id = monitoring.regex.full_match(\"what-is-(long-tasks|tasks|uploads)\") AND metric.type = \"pubsub.googleapis.com/subscription/num_undelivered_messages\" 60s ALIGN_MAX REDUCE_MAX resource.label.subscription_id",
      "Dead letters, an hour | STACKED_BAR resource.type = \"pubsub_subscription\" AND resource.labels.subscription_id = monitoring.regex.full_match(\"what-is-(long-tasks|tasks|uploads)\") AND metric.type = \"pubsub.googleapis.com/subscription/dead_letter_message_count\" 3600s ALIGN_DELTA REDUCE_SUM resource.label.subscription_id",
    ]
    error_message = "a chart shows something else than its title says"
  }
  assert {
    condition     = [for t in jsondecode(google_monitoring_dashboard.whatis.dashboard_json).mosaicLayout.tiles : "${t.width} ${t.height}"] == [for n in range(8) : "24 16"] && jsondecode(google_monitoring_dashboard.whatis.dashboard_json).mosaicLayout.columns == 48 && jsondecode(google_monitoring_dashboard.whatis.dashboard_json).displayName == "what-is"
    error_message = "charts do not fill two columns"
  }
  # Cloud Monitoring answers without what is zero; with it every apply would see a
  # change.
  assert {
    condition     = !can(regex("\"[xy]Pos\":0[,}]|\\[\\]|null", google_monitoring_dashboard.whatis.dashboard_json))
    error_message = "the dashboard holds zeros or nothings that the API leaves out"
  }
  assert {
    condition     = length(distinct([for t in jsondecode(google_monitoring_dashboard.whatis.dashboard_json).mosaicLayout.tiles : "${try(t.xPos, 0)} ${try(t.yPos, 0)}"])) == 8
    error_message = "charts lie on each other"
  }
}

run "outputs_tell_the_next_step" {
  command = apply

  assert {
    condition     = output.repository == "europe-west1-docker.pkg.dev/a-project/whatis"
    error_message = "nobody knows where to push the image"
  }
  assert {
    condition     = output.upload_bucket == "a-project-whatis-uploads" && output.results_bucket == "a-project-whatis-results" && output.upload_topic == "whatis-uploads" && output.failures_subscription == "whatis-failures" && output.database == "whatis" && output.api_service == "whatis-api"
    error_message = "an output that the scripts need is missing"
  }
  assert {
    condition     = alltrue([for said in ["UPLOAD_BUCKET=a-project-whatis-uploads", "RESULTS_BUCKET=a-project-whatis-results", "UPLOAD_TOPIC=whatis-uploads", "FAILURES_SUBSCRIPTION=whatis-failures", "whatisit upload", "gcloud run services proxy whatis-api --region=europe-west1", "set alert_emails", "set max_usd_per_day"] : strcontains(output.next, said)])
    error_message = "the output next does not say what comes next"
  }
}
